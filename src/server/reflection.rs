//! Server reflection, v1 and v1alpha: generic tools learn the services and their messages from the server itself.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::LazyLock;

use futures_util::stream;
use prost::Message;
use prost_types::{DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet};
use tokio_stream::Stream;
use tonic::{Code, Request, Response, Status, Streaming};
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest as Question;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse as Answer;
use tonic_reflection::pb::v1::{
    ErrorResponse, ExtensionNumberResponse, FileDescriptorResponse, ListServiceResponse, ServerReflectionRequest,
    ServerReflectionResponse, ServiceResponse,
};
use tonic_reflection::pb::{v1, v1alpha};

use super::connection::Draining;
use super::status;
use crate::wire;

/// Every file that describes what this server sends: its services, and the details of its statuses.
const DESCRIPTOR_SETS: [&[u8]; 5] = [
    wire::DESCRIPTOR_SET,
    tonic_health::pb::FILE_DESCRIPTOR_SET,
    v1::FILE_DESCRIPTOR_SET,
    v1alpha::FILE_DESCRIPTOR_SET,
    tonic_types::pb::FILE_DESCRIPTOR_SET,
];

/// The crates of tonic compile these files under short names. Others import them by their published ones, and a pool of
/// descriptors that has one file under two names is an error in most languages.
const PUBLISHED_NAMES: [(&str, &str); 5] = [
    ("health.proto", "grpc/health/v1/health.proto"),
    ("reflection_v1.proto", "grpc/reflection/v1/reflection.proto"),
    ("reflection_v1alpha.proto", "grpc/reflection/v1alpha/reflection.proto"),
    ("status.proto", "google/rpc/status.proto"),
    ("error_details.proto", "google/rpc/error_details.proto"),
];

/// Made at the first question: most processes are never asked one.
static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let mut schema = Schema::default();
    for set in DESCRIPTOR_SETS {
        let set = FileDescriptorSet::decode(set).expect("a descriptor set that was compiled in is whole");
        set.file.into_iter().for_each(|file| schema.add(file));
    }
    schema.services.sort_unstable();
    schema
});

/// Both versions of the service.
#[derive(Clone)]
pub(super) struct Reflection;

type Answers<A> = Pin<Box<dyn Stream<Item = Result<A, Status>> + Send>>;

impl Reflection {
    /// Answers one question after the other, until the connection drains. The versions differ in their names alone: what is
    /// sent has one form.
    fn answers<Q, A>(request: Request<Streaming<Q>>) -> Response<Answers<A>>
    where
        Q: Message + 'static,
        A: Message + Default,
    {
        let drain = Draining::of(request.extensions());
        let answers = stream::try_unfold((drain, request.into_inner()), |(drain, mut questions)| async move {
            let question = tokio::select! {
                biased;
                () = drain.cancelled() => return Err(status::draining()),
                question = questions.message() => question?,
            };
            let Some(question) = question else { return Ok(None) };
            let question = ServerReflectionRequest::decode(&question.encode_to_vec()[..]);
            let answer = SCHEMA.answer(question.map_err(|_| status::internal())?);
            let answer = A::decode(&answer.encode_to_vec()[..]).map_err(|_| status::internal())?;
            Ok(Some((answer, (drain, questions))))
        });
        Response::new(Box::pin(answers))
    }
}

#[tonic::async_trait]
impl v1::server_reflection_server::ServerReflection for Reflection {
    type ServerReflectionInfoStream = Answers<v1::ServerReflectionResponse>;

    async fn server_reflection_info(
        &self,
        request: Request<Streaming<v1::ServerReflectionRequest>>,
    ) -> Result<Response<Self::ServerReflectionInfoStream>, Status> {
        Ok(Reflection::answers(request))
    }
}

#[tonic::async_trait]
impl v1alpha::server_reflection_server::ServerReflection for Reflection {
    type ServerReflectionInfoStream = Answers<v1alpha::ServerReflectionResponse>;

    async fn server_reflection_info(
        &self,
        request: Request<Streaming<v1alpha::ServerReflectionRequest>>,
    ) -> Result<Response<Self::ServerReflectionInfoStream>, Status> {
        Ok(Reflection::answers(request))
    }
}

/// Files, and what they declare. A file is named by its index.
#[derive(Default)]
struct Schema {
    files: Vec<FileDescriptorProto>,
    /// The file of each full name.
    symbols: HashMap<String, usize>,
    /// The extensions of each message that has any: their numbers and files.
    extensions: HashMap<String, BTreeMap<i32, usize>>,
    /// The messages, by their full names: what can have extensions.
    messages: Vec<String>,
    services: Vec<String>,
}

impl Schema {
    fn add(&mut self, mut file: FileDescriptorProto) {
        if let Some((_, published)) = PUBLISHED_NAMES.iter().find(|(compiled, _)| *compiled == file.name()) {
            file.name = Some((*published).into());
        }
        let scope = file.package();
        file.message_type.iter().for_each(|message| self.add_message(scope, message));
        file.enum_type.iter().for_each(|declared| self.add_enum(scope, declared));
        self.add_extensions(scope, &file.extension);
        for service in &file.service {
            let name = self.add_symbol(scope, service.name());
            service.method.iter().for_each(|method| drop(self.add_symbol(&name, method.name())));
            self.services.push(name);
        }
        self.files.push(file);
    }

    fn add_message(&mut self, scope: &str, message: &DescriptorProto) {
        let name = self.add_symbol(scope, message.name());
        message.field.iter().for_each(|field| drop(self.add_symbol(&name, field.name())));
        message.oneof_decl.iter().for_each(|oneof| drop(self.add_symbol(&name, oneof.name())));
        message.nested_type.iter().for_each(|nested| self.add_message(&name, nested));
        message.enum_type.iter().for_each(|declared| self.add_enum(&name, declared));
        self.add_extensions(&name, &message.extension);
        self.messages.push(name);
    }

    /// The values of an enum are named beside it, not below it.
    fn add_enum(&mut self, scope: &str, declared: &EnumDescriptorProto) {
        self.add_symbol(scope, declared.name());
        declared.value.iter().for_each(|value| drop(self.add_symbol(scope, value.name())));
    }

    fn add_extensions(&mut self, scope: &str, extensions: &[FieldDescriptorProto]) {
        for extension in extensions {
            self.add_symbol(scope, extension.name());
            let extended = extension.extendee().trim_start_matches('.').to_owned();
            self.extensions.entry(extended).or_default().insert(extension.number(), self.files.len());
        }
    }

    /// The full name, which belongs to the file that is being added.
    fn add_symbol(&mut self, scope: &str, name: &str) -> String {
        let full = if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") };
        self.symbols.insert(full.clone(), self.files.len());
        full
    }

    fn answer(&self, request: ServerReflectionRequest) -> ServerReflectionResponse {
        let answer = match &request.message_request {
            Some(question) => self.find(question),
            None => Err((Code::InvalidArgument, "the request asks nothing that this server knows".into())),
        };
        let answer = answer.unwrap_or_else(|(code, error_message)| {
            Answer::ErrorResponse(ErrorResponse { error_code: code.into(), error_message })
        });
        ServerReflectionResponse {
            valid_host: request.host.clone(),
            message_response: Some(answer),
            original_request: Some(request),
        }
    }

    fn find(&self, question: &Question) -> Result<Answer, (Code, String)> {
        let not_found = |what: &str, name: &str| (Code::NotFound, format!("there is no {what} {name}"));
        let extensions_of = |name: &String| match self.messages.contains(name) {
            true => Ok(self.extensions.get(name).cloned().unwrap_or_default()),
            false => Err(not_found("message", name)),
        };
        match question {
            Question::FileByFilename(name) => {
                self.file(name).map(|file| self.with_imports(file)).ok_or_else(|| not_found("file", name))
            }
            Question::FileContainingSymbol(name) => {
                self.symbols.get(name).map(|file| self.with_imports(*file)).ok_or_else(|| not_found("symbol", name))
            }
            Question::FileContainingExtension(extension) => {
                let (name, number) = (&extension.containing_type, extension.extension_number);
                match extensions_of(name)?.get(&number) {
                    Some(file) => Ok(self.with_imports(*file)),
                    None => Err(not_found(&format!("extension {number} of"), name)),
                }
            }
            Question::AllExtensionNumbersOfType(name) => {
                let extension_number = extensions_of(name)?.into_keys().collect();
                let base_type_name = name.clone();
                Ok(Answer::AllExtensionNumbersResponse(ExtensionNumberResponse { base_type_name, extension_number }))
            }
            Question::ListServices(_) => {
                let service = self.services.iter().map(|name| ServiceResponse { name: name.clone() }).collect();
                Ok(Answer::ListServicesResponse(ListServiceResponse { service }))
            }
        }
    }

    fn file(&self, name: &str) -> Option<usize> {
        self.files.iter().position(|file| file.name() == name)
    }

    /// A file, then all that it imports, whether or not they were sent before.
    fn with_imports(&self, file: usize) -> Answer {
        let mut found = vec![file];
        let mut next = 0;
        while let Some(&file) = found.get(next) {
            for imported in self.files[file].dependency.iter().filter_map(|name| self.file(name)) {
                if !found.contains(&imported) {
                    found.push(imported);
                }
            }
            next += 1;
        }
        let file_descriptor_proto = found.into_iter().map(|file| self.files[file].encode_to_vec()).collect();
        Answer::FileDescriptorResponse(FileDescriptorResponse { file_descriptor_proto })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_found_by_message_and_number() {
        let extension = |number| FieldDescriptorProto {
            name: Some(format!("more_{number}")),
            number: Some(number),
            extendee: Some(".games.Open".into()),
            ..Default::default()
        };
        let open = DescriptorProto { name: Some("Open".into()), ..Default::default() };
        let holder =
            DescriptorProto { name: Some("Holder".into()), extension: vec![extension(7)], ..Default::default() };
        let file = |name: &str, dependency: &[&str], message_type, extension| FileDescriptorProto {
            name: Some(name.into()),
            package: Some("games".into()),
            dependency: dependency.iter().map(|name| (*name).into()).collect(),
            message_type,
            extension,
            ..Default::default()
        };
        let mut schema = Schema::default();
        schema.add(file("open.proto", &[], vec![open], vec![]));
        schema.add(file("more.proto", &["open.proto", "not_there.proto"], vec![holder], vec![extension(9)]));
        let ask = |question| schema.find(&question).map_err(|(code, _)| code);

        let numbers = |name: &str| ask(Question::AllExtensionNumbersOfType(name.into()));
        let of_open = ExtensionNumberResponse { base_type_name: "games.Open".into(), extension_number: vec![7, 9] };
        assert_eq!(numbers("games.Open"), Ok(Answer::AllExtensionNumbersResponse(of_open)));
        assert_eq!(numbers("games.more_9"), Err(Code::NotFound));

        let containing = |name: &str, extension_number| {
            let containing_type = name.into();
            ask(Question::FileContainingExtension(v1::ExtensionRequest { containing_type, extension_number }))
        };
        assert_eq!(containing("games.Open", 7), Ok(schema.with_imports(1)));
        assert_eq!(containing("games.Open", 8), Err(Code::NotFound));
        assert_eq!(containing("games.Holder", 7), Err(Code::NotFound));

        let Answer::FileDescriptorResponse(files) = schema.with_imports(1) else { panic!("no files") };
        assert_eq!(files.file_descriptor_proto, [schema.files[1].encode_to_vec(), schema.files[0].encode_to_vec()]);
        for name in ["games.Holder.more_7", "games.more_9"] {
            assert_eq!(schema.symbols.get(name), Some(&1), "{name}");
        }
    }
}
