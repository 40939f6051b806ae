//! Tidegate as a library: sessions, jobs and their views.
