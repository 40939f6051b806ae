//! Digests: MD5, SHA1, SHA224, SHA256, SHA384, SHA512 and SHA2.

use std::fmt::Write as _;

use arrow_array::ArrayRef;
use tidegate_data::{DataType, LogicalType};

use super::signature::{Family, check, nullable_if_any};
use super::{Binding, Call, ScalarFunction};
use crate::eval::EvalError;
use crate::{CallError, Expr};

macro_rules! digests {
    ($($static:ident $name:literal $function:path, $length:literal;)*) => {
        $(static $static: ScalarFunction = ScalarFunction::strict($name, |call| digest(call, |bytes| hex(&$function(bytes))));)*
        pub(super) const BINDINGS: &[Binding] = &[
            $(Binding { name: $name, bind: |name, args| {
                let args = check(name, args, &[&[Family::Character]])?;
                let ty = nullable_if_any(LogicalType::Char($length), &args);
                Ok($static.on(args, ty))
            } },)*
            Binding { name: "SHA2", bind: bind_sha2 },
        ];
    };
}

digests! {
    MD5 "MD5" md5, 32;
    SHA1 "SHA1" sha1, 40;
    SHA224 "SHA224" sha224, 56;
    SHA256 "SHA256" sha256, 64;
    SHA384 "SHA384" sha384, 96;
    SHA512 "SHA512" sha512, 128;
}

static SHA2: ScalarFunction = ScalarFunction::strict("SHA2", sha2).failing(|_, _| true);

fn bind_sha2(name: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = check(name, args, &[&[Family::Character, Family::Integer]])?;
    let logical = LogicalType::VarChar(128);
    Ok(SHA2.on(args.clone(), DataType { logical, nullable: super::signature::any_nullable(&args) }))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes all");
        text
    })
}

fn digest(call: &Call<'_>, f: impl Fn(&[u8]) -> String) -> Result<ArrayRef, EvalError> {
    let texts = call.strings(0);
    Ok(call.make_strings(|row, out| texts.get(row).map(|text| out.push_str(&f(text.as_bytes()))).is_some()))
}

fn sha2(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (texts, bits) = (call.strings(0), call.integers(1)?);
    let known = |bits: i64| matches!(bits, 224 | 256 | 384 | 512);
    if (0..call.len).any(|row| texts.get(row).is_some() && bits.get(row).is_some_and(|bits| !known(bits))) {
        return Err(EvalError::new("Unsupported algorithm."));
    }
    Ok(call.make_strings(|row, out| {
        let (Some(text), Some(bits)) = (texts.get(row), bits.get(row)) else { return false };
        let bytes = text.as_bytes();
        out.push_str(&match bits {
            224 => hex(&sha224(bytes)),
            256 => hex(&sha256(bytes)),
            384 => hex(&sha384(bytes)),
            _ => hex(&sha512(bytes)),
        });
        true
    }))
}

/// The message with a 1 bit, zeros and its length in bits, in whole blocks.
fn padded(message: &[u8], block: usize, length: &[u8]) -> Vec<u8> {
    let mut padded = message.to_vec();
    padded.push(0x80);
    while !(padded.len() + length.len()).is_multiple_of(block) {
        padded.push(0);
    }
    padded.extend_from_slice(length);
    padded
}

fn bits(message: &[u8]) -> u64 {
    message.len() as u64 * 8
}

fn md5(message: &[u8]) -> Vec<u8> {
    const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let mut state: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in padded(message, 64, &bits(message).to_le_bytes()).chunks_exact(64) {
        let words: Vec<u32> = block.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let [mut a, mut b, mut c, mut d] = state;
        for i in 0..64 {
            let (mixed, word) = match i / 16 {
                0 => ((b & c) | (!b & d), i),
                1 => ((d & b) | (!d & c), (5 * i + 1) % 16),
                2 => (b ^ c ^ d, (3 * i + 5) % 16),
                _ => (c ^ (b | !d), (7 * i) % 16),
            };
            // floor(2^32 * |sin(i + 1)|), by definition.
            let constant = (libm::sin((i + 1) as f64).abs() * 4_294_967_296.0) as u32;
            let sum = a.wrapping_add(mixed).wrapping_add(constant).wrapping_add(words[word]);
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4]));
        }
        for (slot, value) in state.iter_mut().zip([a, b, c, d]) {
            *slot = slot.wrapping_add(value);
        }
    }
    state.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn sha1(message: &[u8]) -> Vec<u8> {
    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in padded(message, 64, &bits(message).to_be_bytes()).chunks_exact(64) {
        let mut words: Vec<u32> = block.as_chunks::<4>().0.iter().map(|bytes| u32::from_be_bytes(*bytes)).collect();
        for i in 16..80 {
            words.push((words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16]).rotate_left(1));
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (i, word) in words.iter().enumerate() {
            let (mixed, constant) = match i / 20 {
                0 => ((b & c) | (!b & d), 0x5a82_7999),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6u32),
            };
            let next = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e).wrapping_add(constant).wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (slot, value) in state.iter_mut().zip([a, b, c, d, e]) {
            *slot = slot.wrapping_add(value);
        }
    }
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// The first 64 bits of the fractional parts of the cube roots of the first 80 primes; SHA-256 takes the first 32 bits of the first 64.
const ROOTS: [u64; 80] = [
    0x428a2f98d728ae22,
    0x7137449123ef65cd,
    0xb5c0fbcfec4d3b2f,
    0xe9b5dba58189dbbc,
    0x3956c25bf348b538,
    0x59f111f1b605d019,
    0x923f82a4af194f9b,
    0xab1c5ed5da6d8118,
    0xd807aa98a3030242,
    0x12835b0145706fbe,
    0x243185be4ee4b28c,
    0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f,
    0x80deb1fe3b1696b1,
    0x9bdc06a725c71235,
    0xc19bf174cf692694,
    0xe49b69c19ef14ad2,
    0xefbe4786384f25e3,
    0x0fc19dc68b8cd5b5,
    0x240ca1cc77ac9c65,
    0x2de92c6f592b0275,
    0x4a7484aa6ea6e483,
    0x5cb0a9dcbd41fbd4,
    0x76f988da831153b5,
    0x983e5152ee66dfab,
    0xa831c66d2db43210,
    0xb00327c898fb213f,
    0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2,
    0xd5a79147930aa725,
    0x06ca6351e003826f,
    0x142929670a0e6e70,
    0x27b70a8546d22ffc,
    0x2e1b21385c26c926,
    0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df,
    0x650a73548baf63de,
    0x766a0abb3c77b2a8,
    0x81c2c92e47edaee6,
    0x92722c851482353b,
    0xa2bfe8a14cf10364,
    0xa81a664bbc423001,
    0xc24b8b70d0f89791,
    0xc76c51a30654be30,
    0xd192e819d6ef5218,
    0xd69906245565a910,
    0xf40e35855771202a,
    0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8,
    0x1e376c085141ab53,
    0x2748774cdf8eeb99,
    0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63,
    0x4ed8aa4ae3418acb,
    0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc,
    0x78a5636f43172f60,
    0x84c87814a1f0ab72,
    0x8cc702081a6439ec,
    0x90befffa23631e28,
    0xa4506cebde82bde9,
    0xbef9a3f7b2c67915,
    0xc67178f2e372532b,
    0xca273eceea26619c,
    0xd186b8c721c0c207,
    0xeada7dd6cde0eb1e,
    0xf57d4f7fee6ed178,
    0x06f067aa72176fba,
    0x0a637dc5a2c898a6,
    0x113f9804bef90dae,
    0x1b710b35131c471b,
    0x28db77f523047d84,
    0x32caab7b40c72493,
    0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6,
    0x597f299cfc657e2a,
    0x5fcb6fab3ad6faec,
    0x6c44198c4a475817,
];

macro_rules! sha2_family {
    ($function:ident, $word:ty, $bytes:literal, $rounds:literal, $length:ty, $constant:expr, $s0:expr, $s1:expr, $big0:expr, $big1:expr) => {
        fn $function(message: &[u8], mut state: [$word; 8]) -> Vec<u8> {
            let length = (bits(message) as $length).to_be_bytes();
            for block in padded(message, 16 * $bytes, &length).chunks_exact(16 * $bytes) {
                let mut words: Vec<$word> =
                    block.as_chunks::<$bytes>().0.iter().map(|bytes| <$word>::from_be_bytes(*bytes)).collect();
                let sigma = |x: $word, (a, b, c): (u32, u32, u32)| x.rotate_right(a) ^ x.rotate_right(b) ^ (x >> c);
                let sum =
                    |x: $word, (a, b, c): (u32, u32, u32)| x.rotate_right(a) ^ x.rotate_right(b) ^ x.rotate_right(c);
                for i in 16..$rounds {
                    let next = words[i - 16]
                        .wrapping_add(sigma(words[i - 15], $s0))
                        .wrapping_add(words[i - 7])
                        .wrapping_add(sigma(words[i - 2], $s1));
                    words.push(next);
                }
                let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
                for i in 0..$rounds {
                    let first = h
                        .wrapping_add(sum(e, $big1))
                        .wrapping_add((e & f) ^ (!e & g))
                        .wrapping_add($constant(i))
                        .wrapping_add(words[i]);
                    let second = sum(a, $big0).wrapping_add((a & b) ^ (a & c) ^ (b & c));
                    (h, g, f, e) = (g, f, e, d.wrapping_add(first));
                    (d, c, b, a) = (c, b, a, first.wrapping_add(second));
                }
                for (slot, value) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
                    *slot = slot.wrapping_add(value);
                }
            }
            state.iter().flat_map(|word| word.to_be_bytes()).collect()
        }
    };
}

sha2_family!(
    sha2_short,
    u32,
    4,
    64,
    u64,
    |i: usize| (ROOTS[i] >> 32) as u32,
    (7, 18, 3),
    (17, 19, 10),
    (2, 13, 22),
    (6, 11, 25)
);
sha2_family!(sha2_long, u64, 8, 80, u128, |i: usize| ROOTS[i], (1, 8, 7), (19, 61, 6), (28, 34, 39), (14, 18, 41));

fn sha224(message: &[u8]) -> Vec<u8> {
    let start =
        [0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4];
    let mut digest = sha2_short(message, start);
    digest.truncate(28);
    digest
}

fn sha256(message: &[u8]) -> Vec<u8> {
    let start =
        [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
    sha2_short(message, start)
}

fn sha384(message: &[u8]) -> Vec<u8> {
    let start = [
        0xcbbb9d5dc1059ed8,
        0x629a292a367cd507,
        0x9159015a3070dd17,
        0x152fecd8f70e5939,
        0x67332667ffc00b31,
        0x8eb44a8768581511,
        0xdb0c2e0d64f98fa7,
        0x47b5481dbefa4fa4,
    ];
    let mut digest = sha2_long(message, start);
    digest.truncate(48);
    digest
}

fn sha512(message: &[u8]) -> Vec<u8> {
    let start = [
        0x6a09e667f3bcc908,
        0xbb67ae8584caa73b,
        0x3c6ef372fe94f82b,
        0xa54ff53a5f1d36f1,
        0x510e527fade682d1,
        0x9b05688c2b3e6c1f,
        0x1f83d9abfb41bd6b,
        0x5be0cd19137e2179,
    ];
    sha2_long(message, start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_digests() {
        assert_eq!(hex(&md5(b"hello")), "5d41402abc4b2a76b9719d911017c592");
        assert_eq!(hex(&md5(&[b'a'; 64])), "014842d480b571495a4a0363793f7367");
        assert_eq!(hex(&sha1(b"hello")), "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d");
        assert_eq!(hex(&sha224(b"hello")), "ea09ae9cc6768c50fcee903ed054556e5bfc8347907f12598aa24193");
        assert_eq!(hex(&sha256(b"hello")), "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
        assert_eq!(
            hex(&sha512(b"abc")),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        );
        assert_eq!(
            hex(&sha384(b"abc")),
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        );
    }
}
