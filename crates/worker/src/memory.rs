//! The allocator of the workers: the standard one, but memory that runs out has a name where a bare trap says nothing.

use std::alloc::{GlobalAlloc, Layout, System};

struct Named;

#[global_allocator]
static ALLOCATOR: Named = Named;

// SAFETY: everything is the system's allocator's doing; a failure throws instead of returning.
unsafe impl GlobalAlloc for Named {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        given(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        given(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`.
        given(unsafe { System.realloc(old, layout, size) })
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(old, layout) }
    }
}

fn given(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        wasm_bindgen::throw_str("memory ran out");
    }
    memory
}
