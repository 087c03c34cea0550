//! What synthetic text is made of: words in falling frequency, names, and lines with gaps to fill in.

/// Words of prose, the most frequent first.
pub(super) const WORDS: &str = "\
    the of to a in and is it that for this with on not as be are but when so by an or if we from which at was can \
    has only now have no one there then after before should will all you each into would does than because still \
    more same other out its where first until new file test error request value line case also without them both \
    over some any just need body what call code time two made read write next last like through since while must \
    could here change check default set found their used return field another function between path right being \
    name number once under every problem already even though server client state version message very about above \
    fails passes expected actual result output input length size bytes empty missing wrong possible whole around \
    instead rather during however old however caller called back end start part way work works looks seems means \
    keeps takes gives makes runs holds stays shows says gets adds needs uses follows happens belongs depends \
    header content status response connection timeout retry limit buffer stream chunk token event queue cache lock \
    thread worker process signal handle socket address port host proxy certificate handshake session account model \
    prompt context history summary user assistant tool argument option flag parameter setting environment variable \
    module package crate library dependency build release branch commit merge review issue report fix bug crash \
    panic leak race deadlock regression symptom cause reason effect evidence guess hypothesis experiment measure \
    median percentile sample latency throughput bandwidth memory cursor offset index key record row column table \
    query schema migration database transaction snapshot backup journal replica leader follower shard partition \
    parser lexer grammar syntax node tree leaf branch visitor scope symbol binding closure iterator generator \
    encoder decoder compressor checksum digest signature hash prefix suffix separator delimiter escape quote \
    string integer float boolean null array object list map vector slice tuple pair enum variant struct trait \
    interface method property attribute element widget button dialog window screen terminal keyboard mouse \
    scroll layout margin border color theme font icon image pixel frame animation directory folder symlink \
    permission owner group mode timestamp temporary archive tarball manifest lockfile workspace target artifact \
    carefully probably exactly nearly usually rarely silently directly twice earlier later again together apart \
    small large short long slow fast cheap costly simple strange obvious subtle stable flaky unrelated separate \
    remaining previous current following nested shared global local private public internal external optional \
    required invalid valid duplicate unknown unexpected pending stale fresh idle busy closed broken truncated \
    malformed quoted escaped sorted grouped merged renamed moved removed replaced rejected accepted forwarded \
    delivered buffered flushed drained reset reopened resumed skipped deferred documented measured reproduced";

/// First parts of the names of functions and variables.
pub(super) const VERBS: &str = "\
    read write parse send load store build check find open close merge split apply update remove insert render \
    resolve encode decode format validate collect flush schedule retry handle spawn register normalize compare";

/// Second parts of names, and directories and files.
pub(super) const NOUNS: &str = "\
    session request response header body stream event token model message config option path file buffer cursor \
    index cache queue worker task timer clock limit policy route gateway client server socket address record \
    sample report table column schema query cell theme editor selector prompt history context tool provider \
    registry account usage budget window layout status error result entry node tree symbol scope manifest";

/// Lines of three languages; the gaps are explained at `Text::fill`.
pub(super) const CODE: [&[&str]; 3] = [
    &[
        "pub fn $i(&mut self, $i: &$t) -> Result<$t> {",
        "    let $i = self.$i.$i($i)?;",
        "    let mut $i = Vec::with_capacity($d);",
        "    if $i.$i() > $d {",
        "        return Err(Error::$t(format!(\"$s: {$i}\")));",
        "    }",
        "    for $i in &self.$i {",
        "        $i.push($i.$i($i).unwrap_or_default());",
        "    match $i {",
        "        $t::$t { $i, .. } => self.$i($i),",
        "        $t::$t($i) if $i.is_empty() => Ok(()),",
        "        _ => unreachable!(\"$s\"),",
        "    // $S.",
        "    Ok($t { $i, $i: $i.len(), $i: $d })",
        "}",
        "",
        "#[derive(Debug, Clone, PartialEq)]",
        "pub struct $t {",
        "    /// $S.",
        "    pub $i: Option<$t>,",
        "    $i: HashMap<String, $t>,",
        "impl $t {",
        "use crate::$n::{$t, $i};",
        "    assert_eq!($i.$i(\"$w\"), Some($d));",
        "#[test]",
        "fn $i_$i() {",
    ],
    &[
        "export async function $i($i: $t, $i?: string): Promise<$t> {",
        "  const $i = await this.$i.$i($i);",
        "  if (!$i || $i.length === $d) {",
        "    throw new Error(`$s: ${$i}`);",
        "  }",
        "  return { ...$i, $i: $i.$i ?? $d };",
        "  // $S",
        "  const [$i, $i] = $i.split(\"/\").map(($i) => $i.trim());",
        "  for (const $i of $i.$i()) {",
        "    $i.push({ type: \"$w\", $i, text: \"$s\" });",
        "    case \"$w\":",
        "      this.$i = $i;",
        "      break;",
        "}",
        "",
        "import { $i, type $t } from \"../$n/$n.js\";",
        "export interface $t {",
        "  /** $S */",
        "  $i: $t | undefined;",
        "  $i?: number;",
        "  private readonly $i = new Map<string, $t>();",
        "  expect($i($d)).toEqual([\"$w\", \"$w\"]);",
        "  it(\"$s\", async () => {",
        "  });",
    ],
    &[
        "def $i(self, $i, $i=None):",
        "    \"\"\"$S.\"\"\"",
        "    $i = self.$i($i)",
        "    if $i is None or $i > $d:",
        "        raise $t(f\"$s: {$i!r}\")",
        "    with open($i, encoding=\"utf-8\") as $i:",
        "        for $i, $i in enumerate($i):",
        "            $i[$i] = $i.get(\"$w\", $d)",
        "    return $t($i=$i, $i=$d)",
        "    # $S",
        "",
        "class $t($t):",
        "    $i: dict[str, $t] = field(default_factory=dict)",
        "from $n.$n import $t, $i",
        "    logger.debug(\"$s %s\", $i)",
        "@pytest.mark.parametrize(\"$i\", [$d, $d, $d])",
        "    assert $i($i) == [\"$w\", \"$w\"]",
        "    except ($t, KeyError) as error:",
        "        yield from ($i for $i in $i if $i.$i)",
    ],
];

/// What builds, tests and servers print.
pub(super) const LOG: &[&str] = &[
    "test $n::$i_$i ... ok",
    "test $n::tests::$i ... FAILED",
    "   Compiling $n-$n v0.$d.$d (/home/dev/$n)",
    "$T  INFO $n::$n: $s $i=$d",
    "$T  WARN $n::$n: $s after $D ms",
    "$T DEBUG $n: $i finished request_id=$h status=200 bytes=$D",
    "thread 'main' panicked at $f:$d:$d: $s",
    " ✓ $f ($d tests) $Dms",
    "error[E0$d]: $s `$i`",
    "  --> $f:$d:$d",
    "npm warn deprecated $n-$n@$d.$d.$d: $s",
    "-rw-r--r-- 1 dev dev $D Nov $d 14:$d $n.json",
    "127.0.0.1 - - \"POST /v1/$n HTTP/1.1\" 200 $D $D",
    "[$d/$d] $w $f",
    "drwxr-xr-x $d dev dev 4096 $n",
];

/// Sentences of users, assistants and documents.
pub(super) const PROSE: &[&str] = &[
    "$S.",
    "$S, $s.",
    "$S `$i` $s.",
    "The $w in `$f` $s, $s.",
    "I'll $v $w `$i` first and then $s.",
    "Now `$t` $s; $s.",
    "- $S",
    "- `$i`: $s ($d)",
    "$d. $S: $s.",
    "That means $s → $s.",
    "$S: \"$s\", $s.",
    "It took $D ms instead of $D ms, $s.",
    "## $S",
    "",
];

/// What does not compress: digests, keys, images and numbers.
pub(super) const NOISE: &[&str] = &[
    "\"integrity\": \"sha512-$b$b==\",",
    "commit $x",
    "data:image/png;base64,$b$b$b",
    "id: $u",
    "    $x  $n-$d.$d.$d.tar.gz",
    "0x$h $h$h $h$h $h$h $h$h",
    "$h..$h $D $D.$D",
];

/// The prompt that an agent starts with, in front of prose.
pub(super) const SYSTEM: &str = "You are a coding assistant that works in a terminal. You read files, run commands \
    and change code with the tools given to you.\n\nRules:\n- Read a file before you change it.\n- Change as little \
    as the task needs, and run the tests afterwards.\n- Show paths relative to the working directory.\n\n\
    Working directory: /home/dev/project\n\n# Notes of the project\n\n";

/// The definitions of tools, as JSON.
pub(super) const TOOLS: &str = concat!(
    r#"[{"type":"function","function":{"name":"read","description":"Read a file. Long files are cut; use offset "#,
    r#"and limit to read on.","parameters":{"type":"object","required":["path"],"properties":{"path":{"type":"#,
    r#""string","description":"The file to read"},"offset":{"type":"integer","description":"The first line, from "#,
    r#"1"},"limit":{"type":"integer","description":"How many lines"}}}}},{"type":"function","function":{"name":"#,
    r#""bash","description":"Run a command and return what it printed on stdout and stderr.","parameters":{"type":"#,
    r#""object","required":["command"],"properties":{"command":{"type":"string","description":"The command"},"#,
    r#""timeout":{"type":"number","description":"Seconds after which it is ended"}}}}},{"type":"function","#,
    r#""function":{"name":"edit","description":"Replace a text in a file. The old text must occur exactly once.","#,
    r#""parameters":{"type":"object","required":["path","old","new"],"properties":{"path":{"type":"string","#,
    r#""description":"The file to change"},"old":{"type":"string","description":"The text to replace"},"new":{"#,
    r#""type":"string","description":"What takes its place"}}}}}]"#
);
