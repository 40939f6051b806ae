//! Writes docs/coverage.md anew: `cargo xtask coverage`.

use tidegate_tests::coverage::{page, page_path, rows};

fn main() -> std::io::Result<()> {
    let rows = rows();
    for row in rows.iter().filter(|row| !row.here) {
        println!("not here: {}: {}", row.part, row.what);
    }
    std::fs::write(page_path(), page(&rows))
}
