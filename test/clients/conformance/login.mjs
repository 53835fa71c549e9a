// Ways to log in by OAuth, each as a provider of the SDK: what it needs comes with the scenario.
import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  DpopSession,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
} from '@modelcontextprotocol/client';

/** Where the suite says that the metadata of its client is. Nobody fetches it; servers that know such names take it as one. */
const CLIENT_METADATA_URL = 'https://conformance-test.local/client-metadata.json';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const CALLBACK_URL = 'http://localhost:9/callback';

/** Follows the redirect of an authorization server as a browser would whose user agrees to everything. */
async function agree(authorizationUrl) {
  const response = await fetch(authorizationUrl, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (location === null) throw new Error(`No redirect from ${authorizationUrl.origin}: HTTP ${response.status}.`);
  return new URL(location, authorizationUrl).searchParams;
}

/** Logs a user in. `known` is what the client was given beforehand, for servers that register nobody; `dpop` binds tokens to a key. */
export function createUserLogin(known, dpop) {
  const clients = new Map(known === undefined ? [] : [[known.issuer, known]]);
  const tokens = new Map();
  let latest;
  let verifier;
  let discovery;
  let callback;
  return {
    provider: {
      redirectUrl: CALLBACK_URL,
      clientMetadataUrl: CLIENT_METADATA_URL,
      clientMetadata: {
        client_name: 'conformance-client',
        redirect_uris: [CALLBACK_URL],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
      clientInformation: (context) => clients.get(context?.issuer),
      saveClientInformation: (information, context) => void clients.set(context?.issuer, information),
      // The transport asks without an issuer and wants what was granted last.
      tokens: (context) => (context === undefined ? latest : tokens.get(context.issuer)),
      saveTokens: (granted, context) => void tokens.set(context?.issuer, (latest = granted)),
      redirectToAuthorization: async (url) => void (callback = await agree(url)),
      saveCodeVerifier: (value) => void (verifier = value),
      codeVerifier: () => verifier,
      saveDiscoveryState: (state) => void (discovery = state),
      discoveryState: () => discovery,
      dpop: () => dpop,
      invalidateCredentials(scope) {
        if (scope === 'all' || scope === 'client') clients.clear();
        if (scope === 'all' || scope === 'tokens') tokens.clear();
        if (scope === 'all' || scope === 'tokens') latest = undefined;
        if (scope === 'all' || scope === 'discovery') discovery = undefined;
      },
    },
    /** Hands the answer of the authorization server over, once; says whether there was one. */
    async finish(transport) {
      const answer = callback;
      callback = undefined;
      if (answer !== undefined) await transport.finishAuth(answer);
      // By the next login the server may trust another authorization server, so that is asked again.
      discovery = undefined;
      return answer !== undefined;
    },
  };
}

/** A workload that shows the identity it was given by its platform. */
function workloadLogin(clientId, assertion) {
  let tokens;
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [], grant_types: [JWT_BEARER], token_endpoint_auth_method: 'none' },
    clientInformation: () => ({ client_id: clientId }),
    tokens: () => tokens,
    saveTokens: (granted) => void (tokens = granted),
    prepareTokenRequest: (scope) => new URLSearchParams({ grant_type: JWT_BEARER, assertion, ...(scope === undefined ? {} : { scope }) }),
    redirectToAuthorization: () => undefined,
    saveCodeVerifier: () => undefined,
    codeVerifier: () => '',
  };
}

/** A key of this process to bind tokens to, for servers that want that. */
export const createKey = () => DpopSession.create();

/** Programs that log in without a user: by what the scenario brings, or not at all. */
export function machineLogin(scenario, context) {
  const { client_id: clientId, client_secret: clientSecret } = context;
  switch (scenario) {
    case 'auth/client-credentials-basic':
      return new ClientCredentialsProvider({ clientId, clientSecret });
    case 'auth/client-credentials-jwt':
      return new PrivateKeyJwtProvider({ clientId, privateKey: context.private_key_pem, algorithm: context.signing_algorithm });
    case 'auth/enterprise-managed-authorization':
      return new CrossAppAccessProvider({
        clientId,
        clientSecret,
        assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
          const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
            tokenEndpoint: context.idp_token_endpoint,
            audience: authorizationServerUrl,
            resource: resourceUrl,
            idToken: context.idp_id_token,
            clientId: context.idp_client_id,
            scope,
            fetchFn,
          });
          return jwtAuthGrant;
        },
      });
    case 'auth/wif-jwt-bearer':
      return workloadLogin(clientId, context.valid_jwt);
    default:
      return undefined;
  }
}
