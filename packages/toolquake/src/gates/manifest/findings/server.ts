/** Findings about the server as a whole: protocol, capabilities, access, lists. */
import { row } from './row.js';

const ASK = 'Find out whether the change was meant, and by whom.';

/** By id. */
export const SERVER_FINDINGS = {
  'protocol.version-removed': row('breaking', 'A protocol version is no longer spoken.', 'Speak it until its clients are gone.'),
  'protocol.version-added': row('compatible', 'A protocol version is spoken now.'),
  'protocol.legacy-era-dropped': row(
    'breaking',
    'Clients from before 2026-07-28 are no longer served.',
    'Serve both eras: most clients do not ask for the modern one yet.',
  ),
  'protocol.modern-era-dropped': row('breaking', 'Clients of 2026-07-28 and later are no longer served.', 'Serve both eras.'),
  'protocol.era-added': row('compatible', 'Another era of the protocol is served now.'),
  'transport.changed': row(
    'breaking',
    'The server is reached by another transport.',
    'Keep the old transport until its clients have moved.',
  ),
  'transport.url-changed': row('breaking', 'The server has another address.', 'Answer at the old address, too.'),
  'capability.removed': row('breaking', 'A capability is gone.', 'Clients that found it stop working: keep it.'),
  'capability.logging-removed': row('may-break', 'Logging is gone; it is deprecated anyway.'),
  'capability.added': row('compatible', 'A capability came.'),
  'capability.changed': row('may-break', 'A capability has other settings.', 'Look at what clients make of the setting.'),
  'server.name-changed': row('may-break', 'The server has another name: clients that keep settings by name lose them.', ASK),
  'server.version-changed': row('compatible', 'The server has another version.'),
  'server.major-version-kept': row(
    'may-break',
    'The change breaks clients, and the version does not say so.',
    'Raise the major version (below 1.0, the minor one).',
  ),
  'server.info-changed': row('compatible', 'Something else that the server says about itself changed.'),
  'server.instructions-changed': row(
    'text',
    'The instructions changed, which go into every prompt.',
    'Try your prompts and evaluations with the new text.',
  ),
  'server.instructions-suspicious': row(
    'security',
    'The instructions changed in a way that poisoned servers are known for.',
    'Read the text, with hidden characters made visible, before you accept it.',
  ),
  'auth.added': row('breaking', 'The server asks for authorisation now.', 'Tell its clients before they get 401.'),
  'auth.removed': row('security', 'The server no longer asks for authorisation.', ASK),
  'auth.scope-added': row('breaking', 'A further scope is asked for.', 'Clients have to ask their users again: announce it.'),
  'auth.scope-removed': row('compatible', 'A scope is no longer asked for.'),
  'auth.issuer-changed': row('security', 'Tokens come from another issuer.', ASK),
  'listing.cache-private': row('may-break', 'The list is for one client alone now: shared caches miss.', 'Expect more list calls.'),
  'listing.cache-public': row('security', 'The list may be shared between users now.', 'Make sure that it is the same for every user.'),
  'listing.ttl-shortened': row('compatible', 'The list may be kept for a shorter time.'),
  'listing.ttl-lengthened': row(
    'may-break',
    'The list may be kept for longer: clients notice changes later.',
    'Send list_changed when it changes.',
  ),
  'listing.paged': row(
    'may-break',
    'The list comes in pages now: clients that ignore "nextCursor" lose the rest.',
    'Send everything on one page while you can.',
  ),
  'listing.unpaged': row('compatible', 'The list comes on one page now.'),
} as const;
