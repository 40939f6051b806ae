//! Diagnostics: a code, a place in the SQL, what is wrong, and what to do about it.
