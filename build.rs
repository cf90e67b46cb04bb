//! Compiles the proto file without protoc: descriptors for reflection, code for the crate.

use std::{env, fs, path::PathBuf};

use prost::Message as _;
use prost_types::{FileDescriptorSet, field_descriptor_proto::Type};

const PROTO: &str = "proto/sprague/v1/sprague.proto";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed={PROTO}");
    let mut compiler = protox::Compiler::new(["proto"])?;
    compiler.include_source_info(true).open_file("sprague/v1/sprague.proto")?;
    // With source info: generic tools show the comments, too.
    let mut descriptors = compiler.file_descriptor_set();
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("sprague_descriptor.bin"), descriptors.encode_to_vec())?;
    cells_as_bytes(&mut descriptors);
    // Every `bytes` field becomes a reference-counted slice of the message it came in.
    tonic_prost_build::configure().bytes(".").compile_fds(descriptors)?;
    Ok(())
}

/// Hands the code generator `bytes cells` where the published proto says `string cells`.
///
/// The wire form is the same. Decoding then neither copies nor checks for UTF-8: a cell that is no text is a bad cell
/// like any other, in its place, instead of an error that ends the call.
fn cells_as_bytes(set: &mut FileDescriptorSet) {
    let messages = set.file.iter_mut().flat_map(|file| &mut file.message_type);
    for field in messages.flat_map(|message| &mut message.field) {
        if field.name() == "cells" {
            field.set_type(Type::Bytes);
        }
    }
}
