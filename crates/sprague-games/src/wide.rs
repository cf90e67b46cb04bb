//! Kernels compiled for wider instructions and chosen at run time: the only room with `unsafe`.

/// Defines a kernel twice: `portable`, for any machine, and a door that runs the same code compiled for AVX2 where the
/// machine has it.
///
/// `wide! { fn door / portable(arg: Type, ...) -> Ret { body } }` makes the functions `door` and `portable`. Both run the
/// same body, so they agree where the compiler is right; a test holds the two equal all the same.
macro_rules! wide {
    ($(#[$doc:meta])* $vis:vis fn $door:ident / $portable:ident($($arg:ident: $type:ty),* $(,)?) $(-> $ret:ty)? $body:block) => {
        /// The portable twin of the function below.
        #[inline(always)]
        #[allow(clippy::too_many_arguments)]
        $vis fn $portable($($arg: $type),*) $(-> $ret)? $body

        $(#[$doc])*
        #[inline]
        #[allow(clippy::too_many_arguments)]
        $vis fn $door($($arg: $type),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                #[allow(clippy::too_many_arguments)]
                fn avx2($($arg: $type),*) $(-> $ret)? {
                    $portable($($arg),*)
                }
                if $crate::wide::has_avx2() {
                    // SAFETY: `avx2` is a safe function compiled for the features just found on this machine.
                    #[allow(unsafe_code)]
                    return unsafe { avx2($($arg),*) };
                }
            }
            $portable($($arg),*)
        }
    };
}
pub(crate) use wide;

/// Whether this machine has every feature that the wide twins are compiled for.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn has_avx2() -> bool {
    // Each of these is one load of a value that std found at the first call.
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(test)]
mod tests {
    wide! {
        /// A kernel with a loop that vectorises.
        fn xor_of / xor_of_portable(values: &[u16]) -> u16 {
            values.iter().fold(0, |sum, value| sum ^ value)
        }
    }

    #[test]
    fn both_twins_run_the_same_body() {
        let values: Vec<u16> = (0..1000).map(|i| i * 37).collect();
        assert_eq!(xor_of(&values), xor_of_portable(&values));
    }
}
