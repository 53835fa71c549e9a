/**
 * The rows of the fault catalogue: what goes wrong with MCP tool calls in the wild, and what shows it here. Names on the left
 * are those of the catalogue, names in `shownBy` are ours: a fault, or a script of the early check.
 */

/** A row: exactly one of `shownBy` and `why`. */
export type CatalogueRow = {
  readonly row: string;
  readonly family: string;
  readonly shownBy?: readonly string[];
  /** Parameters, or the part of a rule, that make this of the fault. */
  readonly how?: string;
  /** Why no fault decides on it, as a sentence. */
  readonly why?: string;
};

/** What several rows have in common. */
const GET_ONLY = 'The GET carries no message, and rules see messages only.';
const BESIDE_MCP = 'They are plain HTTP beside MCP, and rules see messages only.';
const IN_THE_SERVER =
  "They happen inside the server's process; a client sees latency with a ramp, connection-refused, http-status 507 or tool-error.";
const FROM_CLIENTS = 'Extra requests come from clients; simulations make them (`toolquake simulate retry-storm`).';
const BEHIND_THE_SERVER = 'their results at the tool: it is slow, fails, or says so in its data';

const family = (name: string, rows: readonly Omit<CatalogueRow, 'family'>[]): readonly CatalogueRow[] =>
  rows.map((row) => ({ ...row, family: name }));

/** Every row, family by family. */
export const catalogueRows: readonly CatalogueRow[] = [
  ...family('Process', [
    {
      row: 'spawn_fail',
      why: 'The server is started before there is any message, so no rule can have fired; use a command that does not exist.',
    },
    { row: 'slow_start', shownBy: ['slow-start'], how: '`delayMs`' },
    {
      row: 'crash',
      shownBy: ['crash'],
      how: '`when.method: initialize` for one at the start, `phase: post` for one in mid-call, `at.nth` for one after so many calls',
    },
    { row: 'crash_loop', shownBy: ['crash'], how: '`at.every`, or a rule without limits: it crashes again after every start' },
    { row: 'freeze', shownBy: ['freeze'], how: '`forMs`' },
    { row: 'ignore_eof', shownBy: ['ignore-eof'], how: '`forMs`' },
    { row: 'ignore_sigterm', shownBy: ['ignore-eof'], how: '`andSigterm`' },
    { row: 'stderr_flood', shownBy: ['stderr-flood'], how: '`bytes`; the server stands still until they are read' },
    { row: 'epipe', shownBy: ['crash'], how: 'whoever writes to a server that is gone gets it' },
    { row: 'stdin_stall', shownBy: ['freeze'], how: 'a stopped server does not read its pipe' },
  ]),
  ...family('TCP, TLS, bytes', [
    { row: 'refuse', shownBy: ['connection-refused'], how: '`forMs`' },
    { row: 'dns_fail', shownBy: ['dns-failure'], how: '`code: ENOTFOUND` or `EAI_AGAIN`' },
    { row: 'tls_fail', shownBy: ['tls-failure'], how: '`reason: expired`, `self-signed` or `name`' },
    { row: 'reset {ms}', shownBy: ['connection-drop'], how: '`afterMs`' },
    {
      row: 'reset {afterBytes}',
      shownBy: ['connection-drop, after bytes', 'truncate, reset', 'truncate'],
      how: '`afterBytes`, or `keepRatio` for a share of the answer; `how: reset`',
    },
    { row: 'blackhole', shownBy: ['blackhole', 'hang'], how: '`forMs` and `phase` for a session, `hang` for single calls without end' },
    { row: 'latency', shownBy: ['latency'], how: '`addedMs`, `jitterMs`, and `phase` for the direction' },
    { row: 'bandwidth', shownBy: ['bandwidth'], how: '`kilobytesPerSecond`' },
    { row: 'slicer', shownBy: ['pace'], how: '`sliceBytes: 1` splits characters' },
    { row: 'truncate', shownBy: ['truncate'], how: '`keepRatio`' },
    { row: 'half_close', shownBy: ['connection-drop, ended', 'connection-drop'], how: '`how: end`' },
    { row: 'slow_close', why: 'The answer is complete before the close, so nothing about the call changes.' },
  ]),
  ...family('HTTP, event streams', [
    { row: 'http_status', shownBy: ['http-status'], how: '`status`, and `body: json`, `html` or `empty`' },
    {
      row: 'rate_limit',
      shownBy: ['rate-limit', 'rate-limit, with a date'],
      how: '`retryAfterSeconds`, `retryAfterAs: seconds` or `date`, `scope: client` or `tool`',
    },
    { row: 'wrong_content_type', shownBy: ['wrong-content-type'], how: '`contentType`' },
    { row: '202_for_request', shownBy: ['accepted-only'] },
    { row: 'sse_cut', shownBy: ['stream-cut'], how: '`heartbeats` before the end, `everyMs` between them' },
    { row: 'sse_heartbeat_only', shownBy: ['heartbeat-only'] },
    { row: 'sse_buffered', why: 'A held event is let go at a time or at a cancel, not at the answer of another exchange.' },
    { row: 'resume', why: GET_ONLY },
    { row: 'get_405', why: GET_ONLY },
    { row: 'get_stream_refused', why: GET_ONLY },
    { row: 'listen_cut', shownBy: ['listen-cut, cut', 'listen-cut'], how: '`mode: cut`' },
    { row: 'listen_silent', shownBy: ['listen-cut'], how: '`mode: silent`' },
  ]),
  ...family('JSON-RPC', [
    {
      row: 'stdout_noise',
      shownBy: ['stdout-noise', 'stdout-noise-glued'],
      how: '`where: line`, or `glued` to the message; `text`',
    },
    {
      row: 'bad_json',
      shownBy: ['malformed-body', 'malformed-garbage', 'malformed-newline-inside'],
      how: '`as: page`, `cut`, `garbage`, `bom`, `newline-inside` or `crlf`',
    },
    {
      row: 'bad_envelope',
      shownBy: ['bad-envelope', 'bad-envelope-neither', 'bad-envelope-batch'],
      how: '`how: no-version`, `both`, `neither`, `extra-key` or `batch`',
    },
    { row: 'id_type', shownBy: ['wrong-id'], how: '`how: type`' },
    { row: 'id_wrong', shownBy: ['wrong-id'], how: '`how: other`' },
    { row: 'id_null', shownBy: ['wrong-id'], how: '`how: null`' },
    { row: 'dup_response', shownBy: ['duplicate-response'], how: '`copies`, `differ`' },
    { row: 'late_after_cancel', shownBy: ['late-after-cancel'], how: '`afterMs`' },
    {
      row: 'cancel_ignored',
      shownBy: ['cancel-ignored', 'lost-notification', 'late-after-cancel'],
      how: 'the cancellation is lost (`when.method: notifications/cancelled`), or heard and answered all the same',
    },
    { row: 'cross_wire', shownBy: ['cross-wire'] },
    { row: 'reorder', shownBy: ['reorder'], how: '`maxWaitMs`' },
    { row: 'drop_request', shownBy: ['hang'], how: '`phase: pre`' },
    { row: 'drop_response', shownBy: ['lost-ack', 'hang'], how: '`phase: post` of `hang`' },
    { row: 'rpc_error', shownBy: ['error-response'], how: '`code`, `message`' },
    { row: 'huge_message', shownBy: ['huge-result'], how: '`bytes`' },
    { row: 'deep_nesting', shownBy: ['deep-nesting'], how: '`levels`' },
    { row: 'id_collision_from_server', shownBy: ['server-id-collision'], how: '`method`' },
  ]),
  ...family('Lifecycle, session', [
    { row: 'init_hang', shownBy: ['init-hang', 'hang'], how: '`when.method: initialize`' },
    { row: 'init_error', shownBy: ['init-error', 'error-response'], how: '`when.method: initialize`' },
    { row: 'initialized_lost', shownBy: ['initialized-lost', 'lost-notification'], how: '`when.method: notifications/initialized`' },
    { row: 'version_offer', shownBy: ['version-offer', 'version-refused'], how: '`version`; a modern server refuses with -32022' },
    { row: 'discover_silent', shownBy: ['discover-silent', 'hang'], how: '`when.method: server/discover`' },
    { row: 'capability_lie', shownBy: ['capability-lie'], how: '`mode: advertise` or `hide`, `capability`' },
    {
      row: 'session_lost',
      shownBy: ['session-lost', 'session-lost-in-body'],
      how: '`status: 404`, `400`, `503`, or `200` with the error in the body',
    },
    { row: 'server_restart', shownBy: ['server-restart', 'crash'], how: '`downMs`; the one forgets the sessions, the other keeps them' },
    { row: 'ping_dead', shownBy: ['ping-dead', 'hang'], how: '`when.method: ping`' },
    {
      row: 'progress',
      shownBy: ['bad-progress', 'bad-progress-flood'],
      how: '`how: stall`, `flood`, `wrong-token` or `backwards`',
    },
    {
      row: 'server_ask_unanswered',
      shownBy: ['server-ask-unanswered', 'hang'],
      how: '`when.direction: to-client`, `when.method: sampling/createMessage` or `elicitation/create`',
    },
    { row: 'mrtr_loop', shownBy: ['mrtr-loop'], how: '`rounds`' },
    { row: 'mrtr_state_tamper', shownBy: ['mrtr-state-tamper'], how: '`how: corrupt`, `drop` or `replay`' },
    { row: 'header_mismatch', shownBy: ['protocol-refusal'], how: '`reason: header-mismatch`' },
    { row: 'missing_capability', shownBy: ['protocol-refusal'], how: '`reason: missing-capability`' },
    { row: 'task_stuck', shownBy: ['task-stuck'], how: '`mode: stuck`' },
    { row: 'task_lost', shownBy: ['task-stuck'], how: '`mode: lost`' },
  ]),
  ...family('Tool result', [
    { row: 'tool_error', shownBy: ['tool-error'], how: '`text`' },
    { row: 'error_as_success', shownBy: ['error-as-success'], how: '`text`, `as: text` or `json`' },
    { row: 'success_as_error', shownBy: ['success-as-error'] },
    { row: 'empty', shownBy: ['empty-result'], how: '`what: both`, `content`, `structured` or `null`' },
    { row: 'partial', shownBy: ['partial-result'], how: '`keepItems` or `keepRatio`, `hideMarkers`' },
    { row: 'truncate_text', shownBy: ['truncate-text'], how: '`keepRatio`, `midWord`' },
    {
      row: 'schema_drift',
      shownBy: ['schema-drift', 'drift against the listed schema'],
      how: '`op`, `path` or `fields`, `members: required` or `optional`',
    },
    { row: 'split_brain', shownBy: ['split-brain'], how: '`wrong: text` or `structured`' },
    { row: 'semantic', shownBy: ['wrong-value'], how: '`op`, `path`; the journal keeps both values' },
    { row: 'stale', shownBy: ['stale-result'] },
    { row: 'contradiction', shownBy: ['contradiction'], how: '`path`' },
    { row: 'silent_noop', shownBy: ['silent-noop'] },
    { row: 'ack_lost', shownBy: ['lost-ack'], how: '`mode: hang` or `reset`' },
    { row: 'double_execute', shownBy: ['double-execute'] },
    { row: 'inject_text', shownBy: ['inject-text'], how: '`payload`, in which {code} is the canary; `place`, `path`' },
    { row: 'huge_result', shownBy: ['huge-result'], how: '`bytes`; four of them are about one token' },
    { row: 'bad_block', shownBy: ['bad-block'], how: '`what`' },
  ]),
  ...family('Registry', [
    {
      row: 'drop_tool',
      shownBy: ['drop-tool', 'registry-inconsistency'],
      how: '`from: list-and-calls` or `list`; from calls alone is the other one',
    },
    { row: 'dangling', shownBy: ['registry-inconsistency'] },
    { row: 'ghost', shownBy: ['ghost-tool', 'drop-tool'], how: '`from: list`' },
    { row: 'list_error', shownBy: ['list-error', 'error-response'], how: '`when.method: tools/list`' },
    { row: 'list_empty', shownBy: ['list-empty'] },
    { row: 'cursor', shownBy: ['bad-cursor'], how: '`mode: first-page-only`, `loop`, `empty-string` or `invalid`' },
    { row: 'one_bad_schema', shownBy: ['bad-tool-schema'], how: '`flaw`' },
    {
      row: 'input_drift',
      shownBy: ['input-drift', 'input-drift with a notice'],
      how: '`op: rename`, `new-required` or `narrow`; `hasNotice`',
    },
    {
      row: 'list_changed {missing}',
      shownBy: ['list-changed-missing', 'lost-notification'],
      how: '`when.method: notifications/tools/list_changed`',
    },
    { row: 'list_changed {spurious}', shownBy: ['list-changed-spurious', 'list-changed-storm'], how: '`count: 1`' },
    { row: 'list_changed {storm}', shownBy: ['list-changed-storm'], how: '`count`, `everyMs`' },
    { row: 'ttl_lie', shownBy: ['ttl-lie'], how: '`ttlMs`, `cacheScope`' },
    {
      row: 'collide',
      shownBy: ['tool-collision', 'misrouted-call'],
      how: '`name: same` in the list; `to` for the tool that executes instead',
    },
    { row: 'rename', shownBy: ['rename-tool'], how: '`prefix`, `suffix`' },
    { row: 'shadow', shownBy: ['tool-collision, look-alike', 'tool-collision'], how: '`name: look-alike`' },
    { row: 'rug_pull', shownBy: ['rug-pull'], how: '`description`, `afterLists`' },
    {
      row: 'annotation_lie',
      shownBy: ['annotation-lie'],
      how: '`hint: readOnlyHint`, `destructiveHint`, `idempotentHint` or `openWorldHint`',
    },
    { row: 'bloat', shownBy: ['tool-bloat'], how: '`count`' },
    { row: 'shuffle', shownBy: ['shuffle-tools'] },
  ]),
  ...family('Auth', [
    { row: 'unauthorized', shownBy: ['unauthorized'], how: '`challenge: ok`, `missing` or `malformed`' },
    { row: 'token_expire', shownBy: ['token-expire'], how: '`forMs`' },
    { row: 'refresh', why: BESIDE_MCP },
    { row: 'scope', shownBy: ['insufficient-scope'], how: '`scope`: only what is missing, or all that is needed' },
    { row: 'auth_as_data', shownBy: ['auth-as-data'], how: '`isError`, `text`' },
    { row: 'metadata', why: BESIDE_MCP },
    { row: 'registration_fail', why: BESIDE_MCP },
  ]),
  ...family('Dependencies behind the server', [
    { row: 'upstream', shownBy: ['latency', 'error-response', 'tool-error', 'auth-as-data'], how: BEHIND_THE_SERVER },
    { row: 'cache', shownBy: ['latency', 'error-response', 'tool-error', 'stale-result'], how: BEHIND_THE_SERVER },
    { row: 'db', shownBy: ['latency', 'error-response', 'tool-error'], how: BEHIND_THE_SERVER },
  ]),
  ...family('Load, resources', [
    { row: 'concurrency', shownBy: ['concurrency-limit', 'concurrency-limit, queue'], how: '`max`, `mode: reject` or `queue`' },
    { row: 'hol_block', shownBy: ['head-of-line-blocking'], how: '`blockMs`' },
    { row: 'session_leak', why: IN_THE_SERVER },
    { row: 'loop_block', shownBy: ['freeze'], how: 'what callers see of it' },
    { row: 'fd_limit', why: IN_THE_SERVER },
    { row: 'disk_full', why: IN_THE_SERVER },
    { row: 'storm', why: FROM_CLIENTS },
    { row: 'reconnect_herd', why: FROM_CLIENTS },
    { row: 'quota', shownBy: ['quota'], how: '`calls`, `windowMs`' },
  ]),
];
