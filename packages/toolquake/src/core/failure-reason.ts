/**
 * Why a target does not work: one table, from which types, messages, `toolquake fixture`, the journal of the monitor and
 * docs/failure-reasons.md are made. Names are for ever: alerts are routed by them. Pure.
 */

/** `down`, `degraded`, `unknown` (our own side failed), `walled` (reachable, but credentials are needed), `warning`. */
export type FailureState = 'down' | 'degraded' | 'unknown' | 'walled' | 'warning';

/** What kind of thing went wrong, for those who route by less than the reason. */
export type FailureGroup =
  | 'probe'
  | 'dns'
  | 'network'
  | 'tls'
  | 'http'
  | 'auth'
  | 'transport'
  | 'protocol'
  | 'manifest'
  | 'canary'
  | 'health'
  | 'performance'
  | 'stdio';

/** One reason. `act` is what the reader should do; `alias` are coarser words that mean it, too. */
export type ReasonEntry = {
  readonly group: FailureGroup;
  readonly state: FailureState;
  readonly alias: readonly string[];
  readonly about: string;
  readonly act: string;
};

type Row = readonly [state: FailureState, alias: string, about: string, act: string];

const rows = <const Names extends string>(group: FailureGroup, table: Readonly<Record<Names, Row>>): Record<Names, ReasonEntry> => {
  const entries = Object.entries<Row>(table).map(([name, [state, alias, about, act]]): [string, ReasonEntry] => [
    name,
    { group, state, alias: alias === '' ? [] : alias.split(' '), about, act },
  ]);
  // The names are those of the table that came in.
  return Object.fromEntries(entries) as Record<Names, ReasonEntry>;
};

/** The reasons, in the order in which a probe meets them. */
export const FAILURE_REASONS = {
  ...rows('probe', {
    probe_offline: [
      'unknown',
      '',
      'The control endpoint does not answer either: the network of the probe is down.',
      'Look at the network of the machine that probes, not at the target.',
    ],
    probe_overrun: [
      'unknown',
      '',
      'The probe started more than half an interval late.',
      'Give the probing machine more time: fewer targets, a longer interval or more workers.',
    ],
    probe_config_error: [
      'unknown',
      '',
      'The target cannot be probed as it is described: a secret is missing, or its address is not allowed.',
      'Correct the description of the target; nothing was said about its health.',
    ],
  }),
  ...rows('dns', {
    dns_nxdomain: [
      'down',
      'dns_error',
      'The host name does not exist.',
      'Check the spelling of the host and whether its DNS record is still there.',
    ],
    dns_servfail: [
      'down',
      'dns_error',
      'The resolver could not answer for the host name.',
      'Check the name servers of the domain, and the resolver of this machine.',
    ],
    dns_timeout: [
      'down',
      'dns_error timeout',
      'The host name was not resolved in time.',
      'Check that the resolver of this machine is reachable, then the name servers of the domain.',
    ],
  }),
  ...rows('network', {
    connection_refused: [
      'down',
      'connection_error',
      'Nothing listens on the port.',
      'Start the server, or correct the port: the machine answers, the process does not.',
    ],
    host_unreachable: [
      'down',
      'connection_error',
      'There is no route to the host.',
      'Check routing, VPN and firewall between this machine and the host.',
    ],
    connect_timeout: [
      'down',
      'connection_error timeout',
      'The host did not answer the connection attempt in time.',
      'Check that the host is up and that no firewall drops packets to this port.',
    ],
    connection_reset: [
      'down',
      'connection_error',
      'The connection was reset before an answer.',
      'Look for a crashing process, or a load balancer without healthy backends.',
    ],
    connection_closed_early: [
      'down',
      'connection_error',
      'The server closed the connection before an answer.',
      'Look at the server log for a crash while it handled the request.',
    ],
  }),
  ...rows('tls', {
    tls_expired: [
      'down',
      'tls_error',
      'The certificate has expired.',
      'Renew the certificate, and check why its automatic renewal did not run.',
    ],
    tls_not_yet_valid: [
      'down',
      'tls_error',
      'The certificate is not valid yet.',
      'Check the clocks of server and prober, and the start date of the certificate.',
    ],
    tls_hostname_mismatch: [
      'down',
      'tls_error',
      'The certificate is for another host.',
      'Serve a certificate that names this host, or correct the URL.',
    ],
    tls_untrusted: [
      'down',
      'tls_error',
      'The certificate comes from an authority that is not trusted here.',
      'Serve the whole chain, or make the authority known (NODE_EXTRA_CA_CERTS).',
    ],
    tls_self_signed: [
      'down',
      'tls_error',
      'The certificate is self-signed.',
      'Serve a certificate of a known authority, or make this one known (NODE_EXTRA_CA_CERTS).',
    ],
    tls_protocol_error: [
      'down',
      'tls_error',
      'The other end does not speak TLS as we do.',
      'Check that the port serves HTTPS, and the TLS versions that the server allows.',
    ],
    tls_client_cert_required: [
      'down',
      'tls_error',
      'The server wants a client certificate.',
      'Probe through an address that needs none, or exempt the prober.',
    ],
    tls_timeout: [
      'down',
      'tls_error timeout',
      'The TLS handshake did not finish in time.',
      'Check the load of what terminates TLS; the port itself answers.',
    ],
    tls_expiring: ['warning', 'tls_error', 'The certificate expires soon.', 'Renew the certificate before it expires.'],
  }),
  ...rows('http', {
    http_malformed: [
      'down',
      'http_error',
      'The answer is not HTTP.',
      'Check that the port belongs to an HTTP server, and what stands in front of it.',
    ],
    http_truncated: [
      'down',
      'http_error',
      'The body ended before it was complete.',
      'Look for a crash during the answer, or a proxy that cuts long answers.',
    ],
    http_redirect_unexpected: [
      'down',
      'http_error',
      'The server answers with a redirect.',
      'Use the final URL: a client must not resend calls to another address.',
    ],
    http_not_found: ['down', 'http_error', 'There is nothing at this path.', 'Correct the path of the URL, or restore the route.'],
    http_method_not_allowed: ['down', 'http_error', 'The path does not take POST.', 'Correct the path: this one is not an MCP endpoint.'],
    http_not_acceptable: [
      'down',
      'http_error',
      'The server does not take or give the media types of MCP.',
      'Check what rewrites the Accept and Content-Type headers on the way.',
    ],
    http_bad_request: [
      'down',
      'http_error',
      'The server refuses the request with a status of its own.',
      'Look up the status in the server log or in the gateway in front of it.',
    ],
    http_rate_limited: [
      'degraded',
      'http_error rate_limited',
      'The server limits the rate of requests.',
      'Probe less often, or exempt the prober from the limit.',
    ],
    http_server_error: ['down', 'http_error', 'The server failed with a 5xx status.', 'Look at the server log at this time.'],
    http_bad_gateway: [
      'down',
      'http_error',
      'The gateway got no good answer from the server (502).',
      'Check the server behind the gateway.',
    ],
    http_unavailable: [
      'down',
      'http_error',
      'The server says that it is not available (503).',
      'Check the backends of the load balancer, or whether a deployment is under way.',
    ],
    http_gateway_timeout: [
      'down',
      'http_error timeout',
      'The gateway waited in vain for the server (504).',
      'Check the server behind the gateway, and the time-out of the gateway.',
    ],
    http_unexpected_content: [
      'down',
      'http_error',
      'Something else than JSON or an event stream came back, such as a login or challenge page.',
      'Look for a proxy, firewall or login wall that answers in the place of the server.',
    ],
  }),
  ...rows('auth', {
    auth_required: ['walled', 'auth_error', 'The server wants credentials, and none are configured.', 'Configure "auth" for this target.'],
    auth_rejected: [
      'down',
      'auth_error',
      'The server rejects our credentials.',
      'Check that the secret is the current one and belongs to this server.',
    ],
    auth_expired: ['down', 'auth_error', 'Our token has expired.', 'Issue a new token.'],
    auth_challenge_invalid: [
      'down',
      'auth_error',
      'The server answers 401 without a challenge that a client could follow.',
      'Send WWW-Authenticate with the address of the resource metadata.',
    ],
    auth_insufficient_scope: ['down', 'auth_error', 'Our token lacks a scope.', 'Grant the scope that the challenge names.'],
    auth_forbidden: [
      'down',
      'auth_error',
      'The server forbids the request.',
      'Check the rules on origin, address and firewall, and the rights of the account.',
    ],
    auth_refresh_failed: [
      'down',
      'auth_error',
      'The token endpoint gives no token.',
      'Check the client id, the secret and the token endpoint.',
    ],
    credential_expiring: ['warning', 'auth_error', 'Our credential expires within 72 hours.', 'Rotate the credential.'],
  }),
  ...rows('transport', {
    sse_no_final_response: [
      'down',
      'timeout',
      'The stream is open, but no answer came in time.',
      'Look at what the server waits for: it accepted the request and keeps the stream alive.',
    ],
    sse_broken: [
      'down',
      'transport_error',
      'The stream ended before the answer.',
      'Look for a crash, or a proxy that cuts streams that are idle.',
    ],
    sse_buffered: [
      'warning',
      'transport_error',
      'All events of a stream came at once: something on the way buffers it.',
      'Turn buffering off for this path (X-Accel-Buffering: no).',
    ],
    session_lost: [
      'down',
      'transport_error',
      'The server forgot the session that it had just given us.',
      'Send a session to the same replica each time, or keep sessions where all replicas see them.',
    ],
    transport_deprecated: ['warning', '', 'The server speaks the HTTP+SSE transport of 2024.', 'Move the server to Streamable HTTP.'],
  }),
  ...rows('protocol', {
    discover_timeout: [
      'down',
      'timeout',
      'The server did not answer server/discover in time.',
      'The port answers and the application does not: look at what blocks it.',
    ],
    initialize_timeout: [
      'down',
      'timeout',
      'The server did not answer initialize in time.',
      'The port answers and the application does not: look at what blocks it.',
    ],
    tools_list_timeout: ['down', 'timeout', 'A list was not answered in time.', 'Look at what the server does to list its tools.'],
    jsonrpc_parse_error: ['down', 'protocol_error', 'The answer is not JSON.', 'Look at what the server writes besides its answers.'],
    jsonrpc_invalid: [
      'down',
      'protocol_error',
      'The answer is JSON, but no answer to the request.',
      'Check ids, "jsonrpc", and that there is either a result or an error.',
    ],
    answer_too_large: [
      'down',
      'protocol_error',
      'The answer is larger or deeper than any client should accept.',
      'Make answers smaller: page lists, and return links to large data.',
    ],
    jsonrpc_error: [
      'down',
      'protocol_error',
      'The server answers with an error.',
      'Look up the code and message of the error in the server log.',
    ],
    method_not_found: [
      'down',
      'protocol_error jsonrpc_error',
      'The server does not know the method.',
      'Check that the server offers what its capabilities say.',
    ],
    invalid_params: [
      'down',
      'protocol_error jsonrpc_error',
      'The server does not accept the parameters.',
      'Check the arguments against the schema of the tool.',
    ],
    internal_error: [
      'down',
      'protocol_error jsonrpc_error',
      'The server reports an internal error.',
      'Look at the server log at this time.',
    ],
    header_mismatch: [
      'down',
      'protocol_error',
      'The server finds headers and body in disagreement (-32020).',
      'Look for a proxy that drops or rewrites Mcp-* headers.',
    ],
    missing_client_capability: [
      'down',
      'protocol_error',
      'The server insists on a capability of the client (-32021).',
      'Make the server work for clients without it.',
    ],
    protocol_version_mismatch: [
      'down',
      'protocol_error',
      'The server and we have no protocol version in common.',
      'Update the server, or the prober.',
    ],
    era_changed: [
      'warning',
      '',
      'The server speaks another protocol era than before.',
      'If that was a deployment, accept it; else look at what answers in its place.',
    ],
    result_schema_invalid: [
      'degraded',
      'protocol_error',
      'A result lacks what the specification demands.',
      'Correct the result, or update the SDK of the server.',
    ],
  }),
  ...rows('manifest', {
    tools_empty: [
      'warning',
      'manifest_error',
      'The server lists no tools.',
      'Check that its tools are registered; a missing configuration often hides them.',
    ],
    tools_missing: [
      'down',
      'manifest_error',
      'Expected tools are not listed.',
      'Check which build is deployed and what its configuration enables.',
    ],
    tools_duplicate: ['degraded', 'manifest_error', 'A tool is listed twice.', 'Give each tool a name of its own.'],
    tool_schema_invalid: [
      'degraded',
      'manifest_error',
      'The schema of a tool is invalid; clients have to drop the tool.',
      'Correct the schema (JSON Schema 2020-12, without references to the network).',
    ],
    pagination_runaway: [
      'down',
      'manifest_error',
      'The pages of a list do not end.',
      'Return a new cursor for each page, and none on the last.',
    ],
    manifest_breaking: [
      'degraded',
      'manifest_error',
      'The manifest changed in a way that breaks clients.',
      'Restore compatibility, or approve the change in the lock file.',
    ],
    manifest_changed: ['warning', 'manifest_error', 'The manifest changed.', 'Approve the change in the lock file.'],
    manifest_unstable: [
      'degraded',
      'manifest_error',
      'Replicas or regions list different tools.',
      'Finish the deployment: two builds answer at the same time.',
    ],
  }),
  ...rows('canary', {
    canary_timeout: [
      'down',
      'timeout canary_error',
      'A canary call was not answered in time.',
      'Look at what the tool depends on: handshake and list do answer.',
    ],
    canary_tool_error: [
      'down',
      'canary_error',
      'A canary call came back as a tool error.',
      'Look at the dependencies of the tool; HTTP and JSON-RPC look fine.',
    ],
    canary_empty_result: [
      'down',
      'canary_error',
      'A canary call came back empty.',
      'Look for an exhausted pool or an empty data source behind the tool.',
    ],
    canary_assertion_failed: [
      'down',
      'canary_error',
      'A canary call came back with a wrong answer.',
      'Compare the answer with what is expected; if it changed on purpose, change the canary.',
    ],
    canary_output_schema_invalid: [
      'down',
      'canary_error',
      'A canary result violates the output schema of its own tool.',
      'Correct the tool, or its outputSchema.',
    ],
    canary_stale: ['down', 'canary_error', 'A canary result is older than allowed.', 'Look at caches and replication behind the tool.'],
    canary_input_required: ['down', 'canary_error', 'A canary call asks for input.', 'Use a canary that needs nobody to answer.'],
  }),
  ...rows('health', {
    health_check_failed: [
      'down',
      'health_error',
      'The health URL reports that the server is not well.',
      'Look at the reason that the server gives.',
    ],
  }),
  ...rows('performance', {
    slow_resolve: ['degraded', 'slow', 'Resolving the name was slower than its threshold.', 'Look at the resolver.'],
    slow_tcp: ['degraded', 'slow', 'Connecting was slower than its threshold.', 'Look at the distance and the load of the network.'],
    slow_tls: ['degraded', 'slow', 'The TLS handshake was slower than its threshold.', 'Look at the load of what terminates TLS.'],
    slow_hello: [
      'degraded',
      'slow',
      'The handshake was slower than its threshold.',
      'Look at cold starts and at what the server does on a handshake.',
    ],
    slow_list: ['degraded', 'slow', 'Listing the tools was slower than its threshold.', 'Look at what the server does to list its tools.'],
    slow_call: ['degraded', 'slow', 'A canary call was slower than its threshold.', 'Look at what the tool depends on.'],
    latency_anomaly: ['degraded', 'slow', 'Latency is far above its usual level.', 'Compare with deployments and load at this time.'],
  }),
  ...rows('stdio', {
    stdio_spawn_failed: [
      'down',
      'stdio_error',
      'The command cannot be started.',
      'Check the spelling of the command, the PATH and that it is installed.',
    ],
    stdio_exited: [
      'down',
      'stdio_error',
      'The server process ended.',
      'Read its last words on stderr; a missing variable is the usual cause.',
    ],
    stdio_stdout_pollution: [
      'down',
      'stdio_error',
      'The server writes something else than messages to stdout.',
      'Send logs to stderr: stdout belongs to the protocol.',
    ],
    stdio_no_response: [
      'down',
      'stdio_error timeout',
      'The server process runs and does not answer.',
      'Check that the command is an MCP server over stdio, and what it waits for.',
    ],
  }),
  ...rows('probe', {
    unknown: ['down', '', 'Something that has no name here yet.', 'Please report it with its detail: every failure should have a name.'],
  }),
} as const;

/** The name of a reason. */
export type FailureReason = keyof typeof FAILURE_REASONS;

/** All names, in the order of the table. */
export const failureReasons: readonly FailureReason[] =
  // The keys of the table, which Object.keys types as any text.
  Object.keys(FAILURE_REASONS) as FailureReason[];

/** Is a word the name of a reason? */
export function isFailureReason(word: string): word is FailureReason {
  return Object.hasOwn(FAILURE_REASONS, word);
}
