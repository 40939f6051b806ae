//! Watermarks of several channels and inputs joined into one, as Flink's `StatusWatermarkValve` and `CombinedWatermarkStatus` do it.

use crate::element::WatermarkStatus;

/// What comes out of a valve, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joined {
    /// A new minimum.
    Watermark(i64),
    /// Idle or active as a whole.
    Status(WatermarkStatus),
}

#[derive(Clone, Copy, Debug)]
struct ChannelStatus {
    watermark: i64,
    idle: bool,
    /// Counts towards the minimum: active, and not behind what was sent while it was idle.
    aligned: bool,
}

/// Joins the channels of one input.
///
/// Idle channels do not count; a channel that turns active again counts once its watermark has caught up with what was sent; nothing is sent while
/// a channel that counts has sent none.
#[derive(Clone, Debug)]
pub(crate) struct Valve {
    channels: Vec<ChannelStatus>,
    sent: i64,
    idle: bool,
}

impl Valve {
    pub(crate) fn new(channels: usize) -> Valve {
        let start = ChannelStatus { watermark: i64::MIN, idle: false, aligned: true };
        Valve { channels: vec![start; channels], sent: i64::MIN, idle: false }
    }

    pub(crate) fn watermark(&mut self, channel: usize, watermark: i64, out: &mut Vec<Joined>) {
        let sent = self.sent;
        let status = &mut self.channels[channel];
        if self.idle || status.idle || watermark <= status.watermark {
            return;
        }
        status.watermark = watermark;
        status.aligned |= watermark >= sent;
        self.send_minimum(out);
    }

    pub(crate) fn status(&mut self, channel: usize, new: WatermarkStatus, out: &mut Vec<Joined>) {
        let sent = self.sent;
        let status = &mut self.channels[channel];
        match (new, status.idle) {
            (WatermarkStatus::Idle, false) => {
                status.idle = true;
                status.aligned = false;
                let was_minimum = status.watermark == sent;
                if self.channels.iter().all(|channel| channel.idle) {
                    // No channel holds anything back any more: what they have reached counts.
                    if was_minimum {
                        let maximum = self.channels.iter().map(|channel| channel.watermark).max();
                        self.send(maximum, out);
                    }
                    self.idle = true;
                    out.push(Joined::Status(WatermarkStatus::Idle));
                } else if was_minimum {
                    self.send_minimum(out);
                }
            }
            (WatermarkStatus::Active, true) => {
                status.idle = false;
                status.aligned = status.watermark >= sent;
                if self.idle {
                    self.idle = false;
                    out.push(Joined::Status(WatermarkStatus::Active));
                }
            }
            _ => {}
        }
    }

    /// Last watermark and idleness of a channel.
    pub(crate) fn channel(&self, channel: usize) -> (Option<i64>, bool) {
        let status = &self.channels[channel];
        (Some(status.watermark).filter(|watermark| *watermark > i64::MIN), status.idle)
    }

    fn send_minimum(&mut self, out: &mut Vec<Joined>) {
        let aligned = self.channels.iter().filter(|channel| channel.aligned);
        let minimum = aligned.map(|channel| channel.watermark).min();
        self.send(minimum, out);
    }

    fn send(&mut self, watermark: Option<i64>, out: &mut Vec<Joined>) {
        if let Some(watermark) = watermark.filter(|watermark| *watermark > self.sent) {
            self.sent = watermark;
            out.push(Joined::Watermark(watermark));
        }
    }
}

/// Joins the inputs of an operator, each with its valve.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    valves: Vec<Valve>,
    watermarks: Vec<(i64, bool)>,
    sent: i64,
    idle: bool,
    scratch: Vec<Joined>,
}

impl Inputs {
    /// `channels[i]` is the number of channels of input i.
    pub(crate) fn new(channels: &[usize]) -> Inputs {
        Inputs {
            valves: channels.iter().map(|channels| Valve::new(*channels)).collect(),
            watermarks: vec![(i64::MIN, false); channels.len()],
            sent: i64::MIN,
            idle: false,
            scratch: Vec::new(),
        }
    }

    /// A watermark came on a channel of an input.
    pub(crate) fn watermark(&mut self, input: usize, channel: usize, watermark: i64, out: &mut Vec<Joined>) {
        let mut joined = std::mem::take(&mut self.scratch);
        self.valves[input].watermark(channel, watermark, &mut joined);
        self.combine(input, joined, out);
    }

    /// A status came on a channel of an input.
    pub(crate) fn status(&mut self, input: usize, channel: usize, status: WatermarkStatus, out: &mut Vec<Joined>) {
        let mut joined = std::mem::take(&mut self.scratch);
        self.valves[input].status(channel, status, &mut joined);
        self.combine(input, joined, out);
    }

    /// Last watermark and idleness of a channel.
    pub(crate) fn channel(&self, input: usize, channel: usize) -> (Option<i64>, bool) {
        self.valves[input].channel(channel)
    }

    fn combine(&mut self, input: usize, mut joined: Vec<Joined>, out: &mut Vec<Joined>) {
        if self.valves.len() == 1 {
            out.append(&mut joined);
        }
        for joined in joined.drain(..) {
            match joined {
                Joined::Watermark(watermark) => {
                    self.watermarks[input] = (watermark, false);
                    self.update(out);
                }
                Joined::Status(status) => {
                    self.watermarks[input].1 = status == WatermarkStatus::Idle;
                    let was_idle = self.idle;
                    self.update(out);
                    if self.idle != was_idle {
                        out.push(Joined::Status(status));
                    }
                }
            }
        }
        self.scratch = joined;
    }

    fn update(&mut self, out: &mut Vec<Joined>) {
        let minimum = self.watermarks.iter().filter(|(_, idle)| !idle).map(|(watermark, _)| *watermark).min();
        self.idle = minimum.is_none();
        if let Some(minimum) = minimum.filter(|minimum| *minimum > self.sent) {
            self.sent = minimum;
            out.push(Joined::Watermark(minimum));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Joined::{Status, Watermark};
    use super::*;
    use WatermarkStatus::{Active, Idle};

    struct Harness(Valve);

    impl Harness {
        fn watermark(&mut self, channel: usize, watermark: i64) -> Vec<Joined> {
            let mut out = Vec::new();
            self.0.watermark(channel, watermark, &mut out);
            out
        }

        fn status(&mut self, channel: usize, status: WatermarkStatus) -> Vec<Joined> {
            let mut out = Vec::new();
            self.0.status(channel, status, &mut out);
            out
        }
    }

    // The cases of Flink's StatusWatermarkValveTest.

    #[test]
    fn one_channel_passes_what_is_new() {
        let mut valve = Harness(Valve::new(1));
        assert_eq!(valve.watermark(0, 0), [Watermark(0)]);
        assert_eq!(valve.watermark(0, 25), [Watermark(25)]);
        assert_eq!(valve.watermark(0, 18), []);
        assert_eq!(valve.status(0, Idle), [Status(Idle)]);
        assert_eq!(valve.watermark(0, 28), []);
        assert_eq!(valve.status(0, Active), [Status(Active)]);
        assert_eq!(valve.watermark(0, 22), []);
        assert_eq!(valve.watermark(0, 30), [Watermark(30)]);
    }

    #[test]
    fn the_minimum_waits_for_all() {
        let mut valve = Harness(Valve::new(3));
        assert_eq!(valve.watermark(0, 0), []);
        assert_eq!(valve.watermark(1, 0), []);
        assert_eq!(valve.watermark(2, 0), [Watermark(0)]);
        assert_eq!(valve.watermark(0, 12), []);
        assert_eq!(valve.watermark(2, 8), []);
        assert_eq!(valve.watermark(2, 10), []);
        assert_eq!(valve.watermark(1, 15), [Watermark(10)]);
        assert_eq!(valve.watermark(2, 17), [Watermark(12)]);
        assert_eq!(valve.watermark(0, 20), [Watermark(15)]);
    }

    #[test]
    fn idle_channels_do_not_count() {
        let mut valve = Harness(Valve::new(3));
        valve.watermark(0, 25);
        valve.watermark(1, 10);
        assert_eq!(valve.status(2, Idle), [Watermark(10)]);
        assert_eq!(valve.watermark(1, 12), [Watermark(12)]);
        assert_eq!(valve.watermark(1, 15), [Watermark(15)]);
        assert_eq!(valve.status(1, Idle), [Watermark(25)]);
        assert_eq!(valve.status(0, Idle), [Status(Idle)]);
    }

    #[test]
    fn a_channel_that_wakes_up_counts_when_it_has_caught_up() {
        let mut valve = Harness(Valve::new(2));
        valve.watermark(0, 10);
        assert_eq!(valve.status(1, Idle), [Watermark(10)]);
        assert_eq!(valve.watermark(0, 12), [Watermark(12)]);
        assert_eq!(valve.status(1, Active), []);
        assert_eq!(valve.watermark(1, 5), []);
        assert_eq!(valve.watermark(0, 14), [Watermark(14)]);
        assert_eq!(valve.watermark(1, 16), []);
        assert_eq!(valve.watermark(0, 20), [Watermark(16)]);
    }

    #[test]
    fn when_all_turn_idle_the_maximum_is_flushed() {
        let mut valve = Harness(Valve::new(3));
        valve.watermark(0, 5);
        valve.watermark(1, 3);
        assert_eq!(valve.watermark(2, 3), [Watermark(3)]);
        assert_eq!(valve.status(0, Idle), []);
        assert_eq!(valve.status(1, Idle), []);
        assert_eq!(valve.status(2, Idle), [Watermark(5), Status(Idle)]);
    }

    #[test]
    fn two_inputs_have_the_minimum_of_those_that_are_active() {
        let mut inputs = Inputs::new(&[1, 1]);
        let mut out = Vec::new();
        inputs.watermark(0, 0, 10, &mut out);
        assert_eq!(out, []);
        inputs.status(1, 0, Idle, &mut out);
        assert_eq!(out, [Watermark(10)]);
        out.clear();
        inputs.status(0, 0, Idle, &mut out);
        assert_eq!(out, [Status(Idle)]);
    }
}
