// Does with the server at the URL (last argument) what the scenario of the official suite asks of a client, and otherwise
// everything that the server offers. It ends with 1 when the server or the SDK refused something, and says on stderr what:
// in some scenarios that is what a good client does.
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { createKey, createUserLogin, machineLogin } from './login.mjs';

const url = new URL(process.argv.at(-1));
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const isModern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === '2026-07-28';

/** A value that a schema may take; the first that comes to mind. */
function example(schema) {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type) {
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((key) => [key, example(schema.properties?.[key] ?? {})]));
    case 'array':
      return [];
    case 'number':
    case 'integer':
      return 5;
    case 'boolean':
      return true;
    default:
      return 'word';
  }
}

const known =
  context.client_id === undefined
    ? undefined
    : { client_id: context.client_id, client_secret: context.client_secret, issuer: context.issuer };
const login = createUserLogin(known, scenario.startsWith('auth/dpop') ? await createKey() : undefined);
const authProvider = machineLogin(scenario, context) ?? login.provider;

/** Connects and does something; each time the server asks for a login, logs in and starts over. Twice, then it gives up. */
async function withClient(act) {
  for (let logins = 0; ; logins++) {
    const client = new Client(
      { name: 'conformance-client', version: '1.0.0' },
      {
        capabilities: {
          elicitation: { form: { applyDefaults: true } },
          sampling: {},
          roots: {},
          extensions: { 'io.modelcontextprotocol/skills': {} },
        },
        // Patient: the suite starts all its clients at once, and a probe that takes long is not what it asks about.
        versionNegotiation: { mode: isModern ? 'auto' : 'legacy', probe: { timeoutMs: 60_000 } },
      },
    );
    client.setRequestHandler('elicitation/create', ({ params }) => ({ action: 'accept', content: accepted(params.requestedSchema) }));
    client.setRequestHandler('sampling/createMessage', () => ({
      model: 'none',
      role: 'assistant',
      content: { type: 'text', text: 'sampled' },
    }));
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///work' }] }));
    const transport = new StreamableHTTPClientTransport(url, { authProvider });
    try {
      await client.connect(transport);
      await act(client);
      return;
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || logins === 2 || !(await login.finish(transport))) throw error;
    } finally {
      if (!isModern) await transport.terminateSession().catch(() => undefined);
      await client.close();
    }
  }
}

/** A user who fills in what has no default, and leaves the rest to the client. */
const accepted = (schema) =>
  Object.fromEntries(
    Object.entries(schema?.properties ?? {}).flatMap(([key, field]) => (field.default === undefined ? [[key, example(field)]] : [])),
  );

/** Everything that the server offers, once. */
async function tour(client) {
  const offers = client.getServerCapabilities() ?? {};
  const { tools } = await client.listTools();
  for (const { name, inputSchema } of tools) await client.callTool({ name, arguments: example(inputSchema) });
  if (offers.resources !== undefined) for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
  if (offers.prompts !== undefined)
    for (const { name, arguments: args = [] } of (await client.listPrompts()).prompts)
      await client.getPrompt({ name, arguments: Object.fromEntries(args.map((argument) => [argument.name, 'word'])) });
}

const stories = {
  'http-custom-headers': async (client) => {
    await client.listTools();
    for (const call of context.toolCalls) await client.callTool(call);
  },
  'json-schema-2020-12-preservation': async (client) => {
    const [focal, echo] = (await client.listTools()).tools;
    await client.callTool({ name: echo.name, arguments: { schema: focal.inputSchema } });
  },
  'sep-2640-client-no-prefetch': async (client) => void (await new SkillsClient(client).list()),
};

/** Loads a skill, and what belongs to it only after its main file was found to be what was promised. */
async function loadSkills(client) {
  const skills = new SkillsClient(client);
  for (const skill of (await skills.list()).skills) for (const { uri } of skill.resources) await skills.read(skill, uri);
}

const story = stories[scenario] ?? (scenario.startsWith('sep-2640-client-verify') ? loadSkills : tour);
try {
  await withClient(story);
} catch (error) {
  process.stderr.write(`${scenario}: ${error.stack}\n`);
  process.exitCode = 1;
}
