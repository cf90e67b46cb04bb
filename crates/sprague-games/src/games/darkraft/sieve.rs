//! Sets of options for many rectangles at once: a lane a rectangle, planes of bits, and each lane's mex.

use std::ops::Range;

/// The bytes of one AVX2 vector: values, or what else there is to say, of 32 rectangles that differ in one edge.
pub(super) type Lanes = [u8; 32];

/// One lane for each right edge: a step of 32 lanes or two.
pub(super) type Line<const STEPS: usize> = [Lanes; STEPS];

/// Options that are sifted at a time: their bits and keys stay in the nearest cache.
const CHUNK: usize = 64;
/// Sets of 32 values that the low bits of a value tell apart.
const BLOCK: usize = 4;

/// Options as lines of lanes; each is xored with a constant of its own to give the option's values.
pub(super) struct Options<const STEPS: usize> {
    /// `STEPS`, where the compiler does not see it: knowing it, it takes the loop over options for the one to
    /// vectorise, which is five times as slow.
    stride: usize,
    /// The low seven bits of each lane; the eighth keeps a lane out.
    pub(super) low: Vec<Line<STEPS>>,
    /// The bits above.
    pub(super) high: Vec<Line<STEPS>>,
    /// The same of the constants.
    pub(super) low_constants: Vec<u8>,
    pub(super) high_constants: Vec<u8>,
}

impl<const STEPS: usize> Options<STEPS> {
    /// Room for so many options, all 0.
    pub(super) fn new(options: usize) -> Options<STEPS> {
        Options {
            stride: STEPS,
            low: vec![[[0; 32]; STEPS]; options],
            high: vec![[[0; 32]; STEPS]; options],
            low_constants: vec![0; options],
            high_constants: vec![0; options],
        }
    }
}

/// The option sets of one line of lanes.
pub(super) struct Sieve<const STEPS: usize> {
    /// For each option of a chunk, the bit that each lane sets within its plane, and the plane.
    bits: [Lanes; CHUNK],
    keys: [Lanes; CHUNK],
    /// Set `s` holds the options `32 s` to `32 s + 31` of each lane.
    sets: Vec<[[u32; 32]; STEPS]>,
    /// Sets that are filled.
    known: usize,
}

impl<const STEPS: usize> Sieve<STEPS> {
    pub(super) fn new() -> Sieve<STEPS> {
        Sieve { bits: [[0; 32]; CHUNK], keys: [[0; 32]; CHUNK], sets: Vec::new(), known: 0 }
    }

    /// Forgets all sets.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.known = 0;
    }

    /// The sets filled since `clear`.
    #[inline(always)]
    pub(super) fn known(&self) -> usize {
        self.known
    }

    /// The least value that is no option of a lane; `None` if the filled sets are full.
    #[inline(always)]
    pub(super) fn mex(&self, lane: usize) -> Option<u16> {
        let mut full = 0;
        for words in &self.sets[..self.known] {
            let word = words.as_flattened()[lane];
            if word != u32::MAX {
                return Some(full + word.trailing_ones() as u16);
            }
            full += 32;
        }
        None
    }

    /// Fills sets up to and with `wanted` from the first so many options of each kind.
    ///
    /// Without `HIGH` all high bits must be 0.
    #[inline(always)]
    pub(super) fn fill<const HIGH: bool>(
        &mut self,
        kinds: [(&Options<STEPS>, usize); 2],
        steps: Range<usize>,
        wanted: usize,
    ) {
        while self.known <= wanted {
            let sets = (wanted + 1).min((self.known / BLOCK + 1) * BLOCK) - self.known;
            if self.sets.len() < self.known + sets {
                self.sets.resize(self.known + sets, [[0; 32]; STEPS]);
            }
            for step in steps.clone() {
                let mut planes = [[[0; 32]; 4]; BLOCK];
                if HIGH || self.known < BLOCK {
                    for (options, count) in kinds {
                        self.sift::<HIGH>(options, count, step, &mut planes[..sets]);
                    }
                }
                for (set, [p, q, r, s]) in self.sets[self.known..].iter_mut().zip(&planes[..sets]) {
                    let words = &mut set[step];
                    for lane in 0..32 {
                        words[lane] = u32::from_le_bytes([p[lane], q[lane], r[lane], s[lane]]);
                    }
                }
            }
            self.known += sets;
        }
    }

    /// Puts one more option, without `OUTSIDE` lanes, into the filled sets from `from` on.
    #[inline(always)]
    pub(super) fn put<const HIGH: bool>(&mut self, low: &Lanes, high: &Lanes, constant: u16, step: usize, from: usize) {
        for (set, words) in self.sets[..self.known].iter_mut().enumerate().skip(from) {
            let words = &mut words[step];
            let mut sums = *words;
            for lane in 0..32 {
                let high = if HIGH { u32::from(high[lane]) << 7 } else { 0 };
                let value = (u32::from(low[lane]) | high) ^ u32::from(constant);
                sums[lane] |= 1u32.checked_shl(value.wrapping_sub(set as u32 * 32)).unwrap_or(0);
            }
            *words = sums;
        }
    }

    /// Puts the options of one step of lanes into the planes of the next sets, all of one block.
    #[inline(always)]
    fn sift<const HIGH: bool>(
        &mut self,
        options: &Options<STEPS>,
        count: usize,
        step: usize,
        planes: &mut [[Lanes; 4]],
    ) {
        let stride = options.stride;
        let mut start = 0;
        while start < count {
            let chunk = CHUNK.min(count - start);
            let vectors = options.low.as_flattened()[start * stride + step..].iter().step_by(stride);
            let constants = &options.low_constants[start..start + chunk];
            let room = self.bits.iter_mut().zip(&mut self.keys);
            for (((bits, keys), vector), &constant) in room.zip(vectors).zip(constants) {
                let values = each(vector, |lane| lane ^ constant);
                *bits = each(&values, |value| (1 << (value & 7)) & mask(value < OUTSIDE));
                *keys = each(&values, |value| value & 0x78);
            }
            if HIGH {
                let vectors = options.high.as_flattened()[start * stride + step..].iter().step_by(stride);
                let constants = &options.high_constants[start..start + chunk];
                for ((bits, vector), constant) in self.bits.iter_mut().zip(vectors).zip(constants) {
                    let wanted = constant ^ (self.known / BLOCK) as u8;
                    let these = each(vector, |lane| mask(lane == wanted));
                    *bits = both(bits, &these, |bits, these| bits & these);
                }
            }
            let mut key = (self.known % BLOCK * 32) as u8;
            for planes in &mut *planes {
                collect(&self.bits[..chunk], &self.keys[..chunk], key, planes);
                key += 32;
            }
            start += chunk;
        }
    }
}

/// A lane that is no rectangle: no low bits of a value have this one.
pub(super) const OUTSIDE: u8 = 0x80;

/// Collects the bits of four planes, the first of which has the key `first`.
#[inline(always)]
fn collect(bits: &[Lanes], keys: &[Lanes], first: u8, planes: &mut [Lanes; 4]) {
    let mut sums = *planes;
    for (bits, keys) in bits.iter().zip(keys) {
        for (plane, sum) in sums.iter_mut().enumerate() {
            let key = first + plane as u8 * 8;
            for lane in 0..32 {
                sum[lane] |= bits[lane] & mask(keys[lane] == key);
            }
        }
    }
    *planes = sums;
}

/// A function of each lane.
#[inline(always)]
pub(super) fn each(lanes: &Lanes, of: impl Fn(u8) -> u8) -> Lanes {
    let mut to = [0; 32];
    for (to, &lane) in to.iter_mut().zip(lanes) {
        *to = of(lane);
    }
    to
}

/// A function of each lane of two.
#[inline(always)]
pub(super) fn both(one: &Lanes, other: &Lanes, of: impl Fn(u8, u8) -> u8) -> Lanes {
    let mut to = [0; 32];
    for ((to, &one), &other) in to.iter_mut().zip(one).zip(other) {
        *to = of(one, other);
    }
    to
}

/// All ones if so.
#[inline(always)]
fn mask(so: bool) -> u8 {
    u8::from(so).wrapping_neg()
}
