//! The one codec of all messages: serde-wasm-bindgen, 64-bit numbers as BigInt.

use serde::{Serialize, de::DeserializeOwned};
use wasm_bindgen::JsValue;

/// A message as a JavaScript value.
pub fn encode<T: Serialize>(message: &T) -> Result<JsValue, String> {
    let serializer = serde_wasm_bindgen::Serializer::new().serialize_large_number_types_as_bigints(true);
    message.serialize(&serializer).map_err(|error| error.to_string())
}

/// A JavaScript value as a message.
pub fn decode<T: DeserializeOwned>(value: JsValue) -> Result<T, String> {
    serde_wasm_bindgen::from_value(value).map_err(|error| error.to_string())
}
