//! What a request body is made of, in bytes: who said how much of it, in any of the APIs that are known.

use super::{scan, splice};

/// A portion of a body by its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Portion {
    /// System and developer prompts.
    System,
    /// What users said.
    User,
    /// What the model said.
    Assistant,
    /// What the model thought.
    Reasoning,
    /// Calls of tools by the model.
    ToolCalls,
    /// What came back from tools.
    ToolResults,
    /// Tools on offer.
    ToolDefinitions,
    /// Pictures, wherever they are.
    Images,
}

impl Portion {
    /// All of them, in the order of a body.
    pub const ALL: [Portion; 8] = [
        Portion::System,
        Portion::User,
        Portion::Assistant,
        Portion::Reasoning,
        Portion::ToolCalls,
        Portion::ToolResults,
        Portion::ToolDefinitions,
        Portion::Images,
    ];

    /// As people read it.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES[self as usize].0
    }

    /// As a name for its size in a file.
    #[must_use]
    pub fn key(self) -> &'static str {
        NAMES[self as usize].1
    }
}

const NAMES: [(&str, &str); Portion::ALL.len()] = [
    ("system", "system_bytes"),
    ("user", "user_bytes"),
    ("assistant content", "assistant_bytes"),
    ("reasoning", "reasoning_bytes"),
    ("tool calls", "tool_call_bytes"),
    ("tool results", "tool_result_bytes"),
    ("tool definitions", "tool_definition_bytes"),
    ("images", "image_bytes"),
];

/// The composition of a body. Sizes are those of the JSON values as written, quotes and escapes included.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Composition {
    /// The top-level `model`, when it is a text.
    pub model: Option<String>,
    /// The API whose shape it has, by pi's name for it where pi has one.
    pub api: &'static str,
    /// Messages, or the items that stand for them.
    pub messages: usize,
    /// Tools on offer.
    pub tools: usize,
    /// Pictures.
    pub images: usize,
    /// Bytes of the whole body.
    pub total: u64,
    sizes: [u64; Portion::ALL.len()],
    /// A block was seen that only Anthropic's API has.
    anthropic: bool,
}

impl Composition {
    /// Takes a body apart, which is JSON; of what is no object little is known.
    #[must_use]
    pub fn of(body: &[u8]) -> Composition {
        let members = splice::members(body.trim_ascii());
        let mut composition = Composition { total: body.len() as u64, ..Composition::default() };
        for &(key, value) in &members {
            match key {
                b"model" => composition.model = serde_json::from_slice(value).ok(),
                b"system" | b"instructions" | b"systemInstruction" | b"system_instruction" => {
                    composition.content(value, Portion::System);
                }
                b"messages" | b"input" | b"contents" | b"prompt" => composition.messages(value),
                b"tools" | b"functions" => composition.tools(value),
                _ => {}
            }
        }
        composition.api = api(&members, composition.anthropic);
        composition
    }

    /// Bytes of a portion.
    #[must_use]
    pub fn size(&self, portion: Portion) -> u64 {
        self.sizes[portion as usize]
    }

    /// Bytes of what is in no portion: names, punctuation, parameters.
    #[must_use]
    pub fn rest(&self) -> u64 {
        self.total - self.sizes.iter().sum::<u64>()
    }

    fn add(&mut self, portion: Portion, value: &[u8]) {
        self.images += usize::from(portion == Portion::Images);
        self.sizes[portion as usize] += value.len() as u64;
    }

    fn tools(&mut self, tools: &[u8]) {
        for tool in scan::elements(tools) {
            // Gemini puts all functions into one tool.
            let declarations = splice::members(tool).into_iter().find(|(key, _)| is_one_of(key, &DECLARATIONS));
            self.tools += declarations.map_or(1, |(_, functions)| scan::elements(functions).len());
        }
        self.add(Portion::ToolDefinitions, tools);
    }

    /// A list of messages, or one text.
    fn messages(&mut self, value: &[u8]) {
        if !value.starts_with(b"[") {
            self.messages += 1;
            return self.content(value, Portion::User);
        }
        for message in scan::elements(value) {
            self.messages += 1;
            self.message(message);
        }
    }

    fn message(&mut self, message: &[u8]) {
        let members = splice::members(message);
        let portion = match (text(&members, b"role"), text(&members, b"type")) {
            (None, Some(kind)) => return self.block(message, portion_of_block(kind).unwrap_or(Portion::User)),
            (Some(b"system" | b"developer"), _) => Portion::System,
            (Some(b"assistant" | b"model"), _) => Portion::Assistant,
            (Some(b"tool" | b"function"), _) => Portion::ToolResults,
            _ => Portion::User,
        };
        if members.is_empty() {
            return self.content(message, portion);
        }
        for (key, value) in members {
            match key {
                b"content" | b"parts" => self.content(value, portion),
                b"tool_calls" | b"function_call" => self.content_as_one(value, Portion::ToolCalls),
                b"images" => scan::elements(value).into_iter().for_each(|image| self.add(Portion::Images, image)),
                key if is_one_of(key, &REASONING) => self.content_as_one(value, Portion::Reasoning),
                _ => {}
            }
        }
    }

    /// A text, a list of blocks, or Gemini's `{"parts": […]}`.
    fn content(&mut self, value: &[u8], portion: Portion) {
        match value.first() {
            Some(b'[') => scan::elements(value).into_iter().for_each(|block| self.block(block, portion)),
            Some(b'{') => match splice::members(value).into_iter().find(|(key, _)| *key == b"parts") {
                Some((_, parts)) => self.content(parts, portion),
                None => self.block(value, portion),
            },
            _ => self.content_as_one(value, portion),
        }
    }

    fn content_as_one(&mut self, value: &[u8], portion: Portion) {
        if value != b"null" {
            self.add(portion, value);
        }
    }

    /// A block of content; it belongs to `portion` unless it says otherwise.
    fn block(&mut self, block: &[u8], portion: Portion) {
        let members = splice::members(block);
        let thought = members.iter().any(|(key, value)| *key == b"thought" && *value == b"true");
        let kind = text(&members, b"type");
        self.anthropic |= kind.is_some_and(|kind| is_one_of(kind, &[b"tool_use", b"tool_result", b"thinking"]));
        let by_type = kind.and_then(portion_of_block);
        let by_key = members.iter().find_map(|(key, _)| portion_of_key(key));
        let portion = by_type.or(by_key).unwrap_or(if thought { Portion::Reasoning } else { portion });
        let within =
            members.iter().find(|(key, value)| is_one_of(key, &[b"content", b"output"]) && value.starts_with(b"["));
        match within {
            // The result of a tool may hold pictures of its own.
            Some((_, blocks)) if portion == Portion::ToolResults => self.content(blocks, portion),
            _ => self.add(portion, block),
        }
    }
}

const DECLARATIONS: [&[u8]; 2] = [b"functionDeclarations", b"function_declarations"];

/// What servers call it, none of them with a standard.
const REASONING: [&[u8]; 5] =
    [b"reasoning_content", b"reasoning", b"reasoning_text", b"reasoning_details", b"thinking"];

fn is_one_of(key: &[u8], names: &[&[u8]]) -> bool {
    names.contains(&key)
}

/// Blocks of content, and the items of the Responses API, by their type.
fn portion_of_block(kind: &[u8]) -> Option<Portion> {
    match kind {
        b"image" | b"image_url" | b"input_image" => Some(Portion::Images),
        b"thinking" | b"redacted_thinking" | b"reasoning" => Some(Portion::Reasoning),
        b"tool_use" | b"server_tool_use" => Some(Portion::ToolCalls),
        b"tool_result" => Some(Portion::ToolResults),
        kind if kind.ends_with(b"_call_output") || kind.ends_with(b"_tool_result") => Some(Portion::ToolResults),
        kind if kind.ends_with(b"_call") => Some(Portion::ToolCalls),
        _ => None,
    }
}

/// Gemini's parts have no type: their only key says it.
fn portion_of_key(key: &[u8]) -> Option<Portion> {
    match key {
        b"inlineData" | b"inline_data" | b"fileData" | b"file_data" => Some(Portion::Images),
        b"functionCall" | b"function_call" => Some(Portion::ToolCalls),
        b"functionResponse" | b"function_response" => Some(Portion::ToolResults),
        _ => None,
    }
}

/// The value of a member that is a text, without its quotes.
fn text<'b>(members: &[(&[u8], &'b [u8])], name: &[u8]) -> Option<&'b [u8]> {
    let (_, value) = members.iter().rev().find(|(key, _)| *key == name)?;
    value.strip_prefix(b"\"")?.strip_suffix(b"\"")
}

/// The API by what is at the top, or by the blocks of messages where that leaves it open.
fn api(members: &[(&[u8], &[u8])], anthropic: bool) -> &'static str {
    let has = |names: &[&[u8]]| members.iter().any(|(key, _)| is_one_of(key, names));
    let (chat, prompt) = (has(&[b"messages"]), has(&[b"prompt"]));
    if chat && (anthropic || has(&[b"system", b"anthropic_version"])) {
        "anthropic-messages"
    } else if (chat || prompt) && has(&[b"options", b"keep_alive", b"think"]) {
        "ollama"
    } else if chat {
        "openai-completions"
    } else if has(&[b"contents"]) {
        "google-generative-ai"
    } else if has(&[b"input"]) {
        "openai-responses"
    } else if prompt {
        "text-completions"
    } else {
        "unknown"
    }
}

#[cfg(test)]
#[path = "composition_tests.rs"]
mod tests;
