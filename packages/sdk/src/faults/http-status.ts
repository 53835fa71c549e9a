import { answer, type HttpReply } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { count, oneOf, text } from '../core/params.js';

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

function replyOf(status: number, body: 'json' | 'html' | 'empty', message: string): HttpReply {
  const reply = replyWithBody(status, body, message);
  // HTTP asks for a challenge with every 401 (RFC 9110, section 15.5.2); a gateway knows no more than the scheme.
  return status === 401 ? { ...reply, headers: { ...reply.headers, 'www-authenticate': 'Bearer' } } : reply;
}

function replyWithBody(status: number, body: 'json' | 'html' | 'empty', message: string): HttpReply {
  const reason = message !== '' ? message : (REASONS[status] ?? (status < 500 ? 'Client Error' : 'Server Error'));
  if (body === 'empty') return { status, body: '' };
  if (body === 'json') return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ error: reason }) };
  const title = `${status} ${reason.replace(/[&<]/g, (sign) => (sign === '&' ? '&amp;' : '&lt;'))}`;
  const page = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;
  return { status, headers: { 'content-type': 'text/html' }, body: page };
}

/** What a gateway says when it does not get as far as MCP; the body is often not even JSON. */
export const httpStatus = defineFault({
  type: 'http-status',
  summary: 'Answers a request with an HTTP error status.',
  carriers: ['http'],
  role: 'terminal',
  cannot: { stdio: 'A pipe carries no HTTP.', 'in-process': 'No HTTP is spoken in process.' },
  params: {
    status: count({ default: 503, min: 400, max: 599, unit: 'status', about: 'HTTP status code.' }),
    body: oneOf(['json', 'html', 'empty'], { default: 'json', about: 'Kind of the response body; none is a JSON-RPC message.' }),
    message: text({ default: '', about: 'What the body says; empty for the usual words of the status.' }),
  },
  decide: (event, { status, body, message }) => {
    if (event.kind !== 'frame' || event.part !== 'request') return [];
    return [answer(undefined, replyOf(status, body, message))];
  },
});
