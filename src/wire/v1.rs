//! The generated messages, client and server of `proto/sprague/v1/sprague.proto`, documented there.
#![allow(missing_docs, unreachable_pub, clippy::all)]

tonic::include_proto!("sprague.v1");
