/** Reasons in what a server says and does, in the order in which a probe meets them. Pure. */
import { rows } from './failure-row.js';

export const FAILURES_OF_THE_SERVER = {
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
} as const;
