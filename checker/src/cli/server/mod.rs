//! `--lsp`: a language server on standard input and output.
//!
//! Diagnostics follow each change of a document; the fixes that the checker tried are code actions. Hovering over a
//! name shows its type with every address space.

mod position;
mod settings;

use std::{
    collections::BTreeMap,
    error::Error,
    path::{Path, PathBuf},
};

use crate::{
    Checker, Report,
    diagnostic::{self, Severity},
    mending::Mender,
    source::FileId,
    span::Span,
};
use lsp_server::{Connection, ExtractError, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams,
    CodeActionProviderCapability, CodeDescription, Diagnostic, DiagnosticRelatedInformation,
    DiagnosticSeverity, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DocumentChanges, GotoDefinitionParams, GotoDefinitionResponse,
    Hover, HoverContents, HoverParams, HoverProviderCapability, InitializeParams, Location,
    MarkupContent, MarkupKind, MessageType, NumberOrString, OneOf,
    OptionalVersionedTextDocumentIdentifier, PublishDiagnosticsParams, Range, ServerCapabilities,
    ShowMessageParams, TextDocumentEdit, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextEdit, Uri, WorkspaceEdit,
    notification::{
        DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Notification as _,
        PublishDiagnostics, ShowMessage,
    },
    request::{CodeActionRequest, GotoDefinition, HoverRequest, Request as _},
};

use crate::cli::arguments::PROGRAM;
use settings::Settings;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// An open document.
struct Document {
    uri: Uri,
    path: PathBuf,
    text: String,
    version: i32,
    checker: Checker,
    mender: Mender,
}

/// The server and the documents that its client has open.
struct Server {
    connection: Connection,
    /// The settings that the client sent.
    settings: Settings,
    /// Documents by their address.
    documents: BTreeMap<String, Document>,
}

/// Serves one client until it leaves.
pub(super) fn serve() -> Outcome<()> {
    let (connection, threads) = Connection::stdio();
    let capabilities = ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Simple(true)),
        ..ServerCapabilities::default()
    };
    let parameters = connection.initialize(serde_json::to_value(capabilities)?)?;
    let parameters: InitializeParams = serde_json::from_value(parameters)?;
    let settings = Settings::from_options(parameters.initialization_options);
    let is_wrong = settings.as_ref().err().cloned();
    let mut server =
        Server { connection, settings: settings.unwrap_or_default(), documents: BTreeMap::new() };
    if let Some(message) = is_wrong {
        server.show_error(&message)?;
    }
    server.run()?;
    drop(server);
    threads.join()?;
    Ok(())
}

impl Server {
    fn run(&mut self) -> Outcome<()> {
        while let Ok(message) = self.connection.receiver.recv() {
            match message {
                Message::Request(request) => {
                    if self.connection.handle_shutdown(&request)? {
                        return Ok(());
                    }
                    let response = self.answer(request);
                    self.connection.sender.send(Message::Response(response))?;
                }
                Message::Notification(notification) => self.obey(notification)?,
                Message::Response(_) => {}
            }
        }
        Ok(())
    }

    fn answer(&mut self, request: Request) -> Response {
        let id = request.id.clone();
        let result = match request.method.as_str() {
            HoverRequest::METHOD => read(request, HoverRequest::METHOD)
                .map(|(id, asked)| answered(id, &self.hover(&asked))),
            GotoDefinition::METHOD => read(request, GotoDefinition::METHOD)
                .map(|(id, asked)| answered(id, &self.definition(&asked))),
            CodeActionRequest::METHOD => read(request, CodeActionRequest::METHOD)
                .map(|(id, asked)| answered(id, &self.fixes(&asked))),
            _ => {
                let code = lsp_server::ErrorCode::MethodNotFound as i32;
                let message = format!("{PROGRAM} does not answer `{}`", request.method);
                return Response::new_err(id, code, message);
            }
        };
        result.unwrap_or_else(|message| {
            Response::new_err(id, lsp_server::ErrorCode::InvalidParams as i32, message)
        })
    }

    fn obey(&mut self, notification: Notification) -> Outcome<()> {
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let opened: DidOpenTextDocumentParams =
                    serde_json::from_value(notification.params)?;
                let document = opened.text_document;
                self.open(document.uri, document.text, document.version)
            }
            DidChangeTextDocument::METHOD => {
                let changed: DidChangeTextDocumentParams =
                    serde_json::from_value(notification.params)?;
                let version = changed.text_document.version;
                match changed.content_changes.into_iter().next_back() {
                    Some(whole) => self.open(changed.text_document.uri, whole.text, version),
                    None => Ok(()),
                }
            }
            DidCloseTextDocument::METHOD => {
                let closed: DidCloseTextDocumentParams =
                    serde_json::from_value(notification.params)?;
                self.documents.remove(closed.text_document.uri.as_str());
                self.publish(closed.text_document.uri, Vec::new(), None)
            }
            _ => Ok(()),
        }
    }

    /// Checks a document that was opened or changed. Settings are read again each time: they may have changed too.
    fn open(&mut self, uri: Uri, text: String, version: i32) -> Outcome<()> {
        let path = path_of(&uri);
        let settings = Settings::beside(&path);
        let checker = settings.and_then(|found| found.as_ref().unwrap_or(&self.settings).checker());
        let checker = match checker {
            Ok(checker) => checker,
            Err(message) => {
                self.documents.remove(uri.as_str());
                let wrong = Diagnostic {
                    severity: Some(DiagnosticSeverity::ERROR),
                    source: Some(PROGRAM.to_owned()),
                    message,
                    ..Diagnostic::default()
                };
                return self.publish(uri, vec![wrong], Some(version));
            }
        };
        let mender = Mender::new(&checker);
        let mut document = Document { uri: uri.clone(), path, text, version, checker, mender };
        let diagnostics = document.check();
        self.documents.insert(uri.as_str().to_owned(), document);
        self.publish(uri, diagnostics, Some(version))
    }

    fn hover(&self, asked: &HoverParams) -> Option<Hover> {
        let asked = &asked.text_document_position_params;
        let document = self.documents.get(asked.text_document.uri.as_str())?;
        let (place, _, text) =
            document.mention(position::offset(&document.text, asked.position))?;
        let value = text.to_owned();
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
            range: Some(position::range(&document.text, place)),
        })
    }

    fn definition(&self, asked: &GotoDefinitionParams) -> Option<GotoDefinitionResponse> {
        let asked = &asked.text_document_position_params;
        let document = self.documents.get(asked.text_document.uri.as_str())?;
        let at = position::offset(&document.text, asked.position);
        let (_, declaration, _) = document.mention(at)?;
        Some(GotoDefinitionResponse::Scalar(document.location(declaration)?))
    }

    fn fixes(&mut self, asked: &CodeActionParams) -> Vec<CodeActionOrCommand> {
        let uri = asked.text_document.uri.as_str();
        self.documents.get_mut(uri).map_or(Vec::new(), |document| document.fixes(asked.range))
    }

    fn publish(&self, uri: Uri, diagnostics: Vec<Diagnostic>, version: Option<i32>) -> Outcome<()> {
        let parameters = PublishDiagnosticsParams { uri, diagnostics, version };
        self.notify(PublishDiagnostics::METHOD, &parameters)
    }

    fn show_error(&self, message: &str) -> Outcome<()> {
        let message = message.to_owned();
        self.notify(ShowMessage::METHOD, &ShowMessageParams { typ: MessageType::ERROR, message })
    }

    fn notify(&self, method: &str, parameters: &impl serde::Serialize) -> Outcome<()> {
        let notification = Notification::new(method.to_owned(), parameters);
        self.connection.sender.send(Message::Notification(notification))?;
        Ok(())
    }
}

fn read<P: serde::de::DeserializeOwned>(
    request: Request,
    method: &str,
) -> Result<(RequestId, P), String> {
    request.extract(method).map_err(|error| match error {
        ExtractError::MethodMismatch(request) => format!("`{}` is another request", request.method),
        ExtractError::JsonError { method, error } => format!("`{method}`: {error}"),
    })
}

fn answered(id: RequestId, result: &impl serde::Serialize) -> Response {
    Response::new_ok(id, result)
}

/// Returns the path of a document; one that is in no file has a name only.
fn path_of(uri: &Uri) -> PathBuf {
    let path = uri.path().as_estr().decode().into_string_lossy();
    PathBuf::from(path.into_owned())
}

impl Document {
    fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    fn check(&mut self) -> Vec<Diagnostic> {
        let name = self.name();
        self.checker.check(&name, &self.text);
        let report = self.checker.last_report();
        let open = report.diagnostics.iter().filter(|said| said.suppression.is_none());
        open.map(|said| self.diagnostic(said, report)).collect()
    }

    fn diagnostic(&self, said: &diagnostic::Diagnostic, report: Report<'_>) -> Diagnostic {
        let severity = match said.severity {
            Severity::Note => DiagnosticSeverity::INFORMATION,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Error | Severity::Fatal => DiagnosticSeverity::ERROR,
        };
        let rule = said.rule.map(crate::Rule::info);
        let advice = said.note.iter().chain(&said.help);
        let mut message = said.message.clone();
        for line in advice {
            message.push('\n');
            message.push_str(line);
        }
        let (span, included) = main_place(said.span, report);
        if let Some(file) = included {
            message = format!("in {file}: {message}");
        }
        let labels = said.labels.iter().filter_map(|label| {
            let (span, included) = main_place(label.span, report);
            let location = Location::new(self.uri.clone(), position::range(&self.text, span));
            included
                .is_none()
                .then(|| DiagnosticRelatedInformation { location, message: label.message.clone() })
        });
        let labels: Vec<_> = labels.collect();
        Diagnostic {
            range: position::range(&self.text, span),
            severity: Some(severity),
            code: rule.map(|rule| NumberOrString::String(rule.id.to_owned())),
            code_description: rule
                .and_then(|rule| Some(CodeDescription { href: rule.url().parse().ok()? })),
            source: Some(PROGRAM.to_owned()),
            message,
            related_information: (!labels.is_empty()).then_some(labels),
            ..Diagnostic::default()
        }
    }

    /// Returns the name at a byte: its place, that of its declaration, and the text on it.
    fn mention(&self, at: u32) -> Option<(Span, Span, &str)> {
        let report = self.checker.last_report();
        let mentions = report.mentions.iter().rev();
        let mut here =
            mentions.filter(|mention| mention.place.start <= at && at <= mention.place.end);
        here.next().map(|mention| (mention.place, mention.declaration, mention.text.as_str()))
    }

    /// Returns the place of a declaration, in this document or a file that it includes.
    fn location(&self, span: Span) -> Option<Location> {
        let report = self.checker.last_report();
        if report.sources.file_at(span.start)? == FileId(0) {
            return Some(Location::new(self.uri.clone(), position::range(&self.text, span)));
        }
        let place = report.sources.position(span.start);
        let path = Path::new(place.file);
        let path = std::path::absolute(path).ok()?;
        let start =
            lsp_types::Position::new(place.line.saturating_sub(1), place.column.saturating_sub(1));
        let uri = format!("file://{}", path.display()).parse().ok()?;
        Some(Location::new(uri, Range::new(start, start)))
    }

    /// Returns the fixes of the findings within `asked`.
    fn fixes(&mut self, asked: Range) -> Vec<CodeActionOrCommand> {
        let name = self.name();
        let report = self.checker.last_report();
        let fixes = self.mender.fixes(&name, self.text.as_bytes(), report);
        let mut actions = Vec::new();
        for (said, fix) in report.diagnostics.iter().zip(fixes) {
            let range = position::range(&self.text, said.span);
            let Some(fix) = fix.filter(|_| range.start <= asked.end && asked.start <= range.end)
            else {
                continue;
            };
            let edits = fix.edits.iter().map(|edit| {
                let range = position::range(&self.text, edit.span);
                OneOf::Left(TextEdit::new(range, edit.text.clone()))
            });
            let text_document = OptionalVersionedTextDocumentIdentifier {
                uri: self.uri.clone(),
                version: Some(self.version),
            };
            let edit = TextDocumentEdit { text_document, edits: edits.collect() };
            actions.push(CodeActionOrCommand::CodeAction(CodeAction {
                title: fix.title,
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![self.diagnostic(said, report)]),
                edit: Some(WorkspaceEdit {
                    document_changes: Some(DocumentChanges::Edits(vec![edit])),
                    ..WorkspaceEdit::default()
                }),
                is_preferred: Some(true),
                ..CodeAction::default()
            }));
        }
        actions
    }
}

/// Returns the place of a finding in the document, and the included file that it is in.
fn main_place(span: Span, report: Report<'_>) -> (Span, Option<String>) {
    let sources = report.sources;
    let mut place = span;
    let mut included = None;
    while let Some(file) = sources.file_at(place.start)
        && file != FileId(0)
        && let Some(at) = sources.included_at(file)
    {
        let name = sources.position(span.start).file.to_owned();
        included.get_or_insert(name);
        place = Span::new(at, at);
    }
    (place, included)
}
