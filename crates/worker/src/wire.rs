//! The one codec of all messages: serde-wasm-bindgen, 64-bit numbers as BigInt, bytes as Uint8Array.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tidegate::store::{StoreRequest, StoreResponse};
use wasm_bindgen::JsValue;

/// A request of the engine's worker to the store's, with a number that the answer carries.
#[derive(Debug, Serialize, Deserialize)]
pub struct Asked {
    /// The number.
    pub tag: u64,
    /// The request.
    pub request: StoreRequest,
}

/// The store's answer.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answered {
    /// The request's number.
    pub tag: u64,
    /// The answer.
    pub response: StoreResponse,
}

/// A message as a JavaScript value.
pub fn encode<T: Serialize>(message: &T) -> Result<JsValue, String> {
    let serializer = serde_wasm_bindgen::Serializer::new().serialize_large_number_types_as_bigints(true);
    message.serialize(&serializer).map_err(|error| error.to_string())
}

/// A JavaScript value as a message.
pub fn decode<T: DeserializeOwned>(value: JsValue) -> Result<T, String> {
    serde_wasm_bindgen::from_value(value).map_err(|error| error.to_string())
}
