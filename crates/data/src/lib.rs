//! The values of Tidegate: types, row kinds, columnar chunks, casts and their text forms.
