//! A failing run of the simulation is opened by its link as the page opens it, and is the same run to the byte.

use std::rc::Rc;

use tidegate::replay::{Link, Player};
use tidegate::runtime::RestartStrategy;
use tidegate::runtime::mistakes::{Mistake, plant};
use tidegate::{Session, SessionOptions};
use tidegate_tests::simulation::search::{find, shorten};

/// As the page runs its jobs.
fn page() -> SessionOptions {
    SessionOptions {
        chunk_limit: 1,
        watched: true,
        journal: true,
        restart: RestartStrategy::Hands { attempts: 3, delay: 1000 },
        defaults: vec![("execution.checkpointing.num-retained".to_owned(), "5".to_owned())],
        ..SessionOptions::default()
    }
}

#[test]
fn the_page_plays_what_the_simulation_found() {
    for mistake in [Mistake::CommitWithoutId, Mistake::CommitBeforeCompletion, Mistake::WatermarkForgotten] {
        let failure = find(mistake, 2_000).expect("the mistake is found");
        plant(Some(mistake));
        let short = shorten(failure.seed).expect("it fails again");
        let recorded = short.record();
        assert!(!recorded.message.is_empty(), "{mistake:?}: the recorded run fails");
        let text = recorded.link();
        println!(
            "{mistake:?}: seed {}, {} actions, {} letters: {}",
            short.seed,
            short.schedule.len(),
            text.len(),
            recorded.message
        );

        let link = Link::decode(&text).expect("it is a link");
        assert_eq!(link.recording, recorded.recording);
        assert!(Session::check(&link.recording.sql, &page()).is_empty(), "the page takes the script");
        let mut player = Player::new(Rc::new(link.recording), &page()).expect("the script runs");
        let end = player.recording().end();
        assert_eq!(player.advance(&end, &mut || true), Ok(true), "{mistake:?}");
        assert_eq!(player.session_mut().digest(), recorded.digest, "{mistake:?}");
        assert_eq!(*player.store(), recorded.store, "{mistake:?}");
        plant(None);
    }
}
