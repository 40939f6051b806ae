//! The allocator of the workers: the standard one with a limit. Memory that runs out, at the limit or before, has a name where a bare
//! trap says nothing.
//!
//! None of its functions is inlined. Link-time optimisation would otherwise put the inside of `dealloc` beside an allocation that the compiler knows
//! to be nobody else's, and take the allocator's own mark before the block, which lies outside of it, for anything at all.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Limited;

#[global_allocator]
static ALLOCATOR: Limited = Limited;

/// Bytes in use.
static USED: AtomicUsize = AtomicUsize::new(0);
/// The most bytes to use: below what browsers give a page, so that it is the engine that stops and not the tab.
static LIMIT: AtomicUsize = AtomicUsize::new(2 << 30);

/// Sets the most bytes that this worker may use.
pub fn set_limit(bytes: usize) {
    LIMIT.store(bytes, Relaxed);
}

/// Bytes in use.
pub fn used() -> usize {
    USED.load(Relaxed)
}

// SAFETY: everything is the system's allocator's doing; a failure throws instead of returning.
unsafe impl GlobalAlloc for Limited {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        given(unsafe { System.alloc(layout) })
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        given(unsafe { System.alloc_zeroed(layout) })
    }

    #[inline(never)]
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size);
        // SAFETY: the caller keeps the contract of `realloc`.
        let new = given(unsafe { System.realloc(old, layout, size) });
        give_back(layout.size());
        new
    }

    #[inline(never)]
    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        give_back(layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(old, layout) }
    }
}

fn take(bytes: usize) {
    let used = USED.fetch_add(bytes, Relaxed).saturating_add(bytes);
    if used > LIMIT.load(Relaxed) {
        ran_out();
    }
}

fn give_back(bytes: usize) {
    USED.fetch_sub(bytes, Relaxed);
}

fn given(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        ran_out();
    }
    memory
}

#[cold]
fn ran_out() -> ! {
    wasm_bindgen::throw_str("memory ran out")
}
