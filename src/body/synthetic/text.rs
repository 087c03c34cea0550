//! Lines of text with the statistics of an agent's session: frequent and rare words, names that recur in a file.

use std::fmt::Write as _;

use super::words::{CODE, LOG, NOISE, NOUNS, PROSE, VERBS, WORDS};
use crate::random::Random;

/// What a line is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Prose,
    /// A file.
    Code,
    /// Lines of a file behind its path, as grep shows them.
    Listing,
    /// Lines of a file with signs in front.
    Diff,
    Log,
    /// What does not compress.
    Noise,
}

/// A writer of lines.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub random: Random,
    words: Vec<&'static str>,
    verbs: Vec<&'static str>,
    nouns: Vec<&'static str>,
    /// The files of the project.
    files: Vec<String>,
    /// The names that the whole project uses, and those of the present file.
    project: Vec<String>,
    names: Vec<String>,
    types: Vec<String>,
    language: usize,
}

impl Text {
    pub fn new(seed: u64) -> Text {
        let list = |words: &'static str| words.split_ascii_whitespace().collect();
        let mut text = Text {
            random: Random::new(seed),
            words: list(WORDS),
            verbs: list(VERBS),
            nouns: list(NOUNS),
            files: Vec::new(),
            project: Vec::new(),
            names: Vec::new(),
            types: Vec::new(),
            language: 0,
        };
        text.project = (0..80).map(|_| text.name()).collect();
        text.files = (0..60).map(|_| text.path()).collect();
        text.open_file();
        text
    }

    /// Turns to another file: the next language, and names of which the project knows one half.
    pub fn open_file(&mut self) {
        self.language = (self.language + 1) % CODE.len();
        self.names =
            (0..16)
                .map(|index| {
                    if index % 2 == 0 { self.name() } else { self.project[self.random.low(self.project.len())].clone() }
                })
                .collect();
        self.types = (0..6).map(|_| self.type_name()).collect();
    }

    /// A path of the project.
    pub fn file(&mut self) -> &str {
        let index = self.random.low(self.files.len());
        &self.files[index]
    }

    /// Adds a line of this kind, without its end.
    pub fn line(&mut self, kind: Kind, line: &mut String) {
        let code = CODE[self.language];
        let template = match kind {
            Kind::Prose => self.random.pick(PROSE),
            Kind::Log => LOG[self.random.low(LOG.len())],
            Kind::Noise => self.random.pick(NOISE),
            Kind::Code => self.random.pick(code),
            Kind::Listing => {
                self.fill("$f:$d: ", line);
                self.random.pick(code)
            }
            Kind::Diff => {
                line.push_str(self.random.pick(&[" ", " ", "+", "-"]));
                self.random.pick(code)
            }
        };
        self.fill(template, line);
    }

    /// Adds a template with its gaps filled: `$w` a word, `$v` `$n` a verb or noun, `$s` `$S` some words (with a
    /// capital), `$i` `$t` a name or type of the file, `$f` a path, `$d` `$D` a number (a large one), `$h` `$x`
    /// 7 or 40 hex digits, `$b` base64, `$u` a UUID, `$T` a time.
    pub fn fill(&mut self, template: &str, line: &mut String) {
        let mut pieces = template.split('$');
        line.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            let gap = piece.chars().next().unwrap_or_default();
            match gap {
                'w' => line.push_str(self.word()),
                'v' => line.push_str(self.random.pick(&self.verbs)),
                'n' => line.push_str(self.random.pick(&self.nouns)),
                's' | 'S' => self.phrase(gap == 'S', line),
                'i' => line.push_str(&self.names[self.random.low(self.names.len())]),
                't' => line.push_str(&self.types[self.random.low(self.types.len())]),
                'f' => line.push_str(self.file()),
                'b' => self.digits(44, BASE64, line),
                'h' => self.digits(7, HEX, line),
                'x' => self.digits(40, HEX, line),
                'u' => self.fill_uuid(line),
                _ => self.number(gap, line),
            }
            line.push_str(piece.get(gap.len_utf8()..).unwrap_or_default());
        }
    }

    fn number(&mut self, gap: char, line: &mut String) {
        let random = &mut self.random;
        // Writing to a String does not fail.
        let _ = match gap {
            'd' => write!(line, "{}", random.low(100)),
            'D' => write!(line, "{}", random.low(90_000) + 100),
            'T' => {
                let (hour, minute) = (random.low(9) + 8, random.below(60));
                write!(line, "2025-11-03T{hour:02}:{minute:02}:{:02}.{:03}Z", random.below(60), random.below(1000))
            }
            other => write!(line, "${other}"),
        };
    }

    /// Random characters, `length` of them; the alphabet's size is a power of 2 up to 64.
    fn digits(&mut self, length: usize, alphabet: &[u8], line: &mut String) {
        let (mask, width) = (alphabet.len() as u64 - 1, alphabet.len().ilog2());
        let mut bits = 0;
        for index in 0..length {
            if index % 10 == 0 {
                bits = self.random.bits();
            }
            line.push(char::from(alphabet[usize::try_from(bits & mask).unwrap_or_default()]));
            bits >>= width;
        }
    }

    fn fill_uuid(&mut self, line: &mut String) {
        for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
            line.push_str(if index == 0 { "" } else { "-" });
            self.digits(length, HEX, line);
        }
    }

    fn word(&mut self) -> &'static str {
        self.words[self.random.low(self.words.len())]
    }

    fn phrase(&mut self, capital: bool, line: &mut String) {
        let start = line.len();
        for index in 0..self.random.below(8) + 3 {
            line.push_str(if index == 0 { "" } else { " " });
            line.push_str(self.word());
        }
        if capital && let Some(first) = line.get_mut(start..=start) {
            first.make_ascii_uppercase();
        }
    }

    /// `parse_header`, now and then with a third part.
    fn name(&mut self) -> String {
        let form = ["$v_$n", "$n_$n", "$n", "$v_$n_$n"][self.random.low(4)];
        let mut name = String::new();
        self.fill(form, &mut name);
        name
    }

    /// `HeaderCache`
    fn type_name(&mut self) -> String {
        let mut name = String::new();
        for _ in 0..2 {
            let noun = self.random.pick(&self.nouns);
            name.push_str(&noun[..1].to_ascii_uppercase());
            name.push_str(&noun[1..]);
        }
        name
    }

    fn path(&mut self) -> String {
        let form = self.random.pick(&["src/$n/$n.rs", "packages/$n/src/$n.ts", "$n/$n_$n.py"]);
        let mut path = String::new();
        self.fill(form, &mut path);
        path
    }
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const HEX: &[u8] = b"0123456789abcdef";
