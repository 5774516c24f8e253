import { ERRORS, type ErrorCode } from '../../../foundation/platform/errors.ts';

/** The policy allows the page's own style, and neither scripts nor external resources. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'cache-control': 'public, max-age=300',
};

const STYLE = `
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
code,pre{font:14px/1.45 ui-monospace,monospace;background:#f3f4f6;border-radius:4px}code{padding:.1em .3em}
pre{padding:.8rem;overflow:auto;max-height:28rem}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;
border-bottom:1px solid #e5e7eb;vertical-align:top}summary{cursor:pointer;padding:.35rem 0}nav{columns:3;font-size:14px}
.m{display:inline-block;min-width:4.5rem;font-weight:600;text-transform:uppercase;font-size:13px}h2{margin-top:2.2rem}
.t{overflow-x:auto}[hidden]{display:none!important}h4{margin:.9rem 0 .2rem}.e .e,.c{margin-left:.8rem}.e[open]{border-left:2px solid #9aa4af;padding-left:.6rem}
summary code{overflow-wrap:anywhere}.bar{position:sticky;top:0;display:flex;gap:.5rem;flex-wrap:wrap;padding:.5rem 0;background:inherit}.bar input{flex:1 1 14rem;min-width:0}
input,textarea,button{font:inherit;padding:.4rem;border:1px solid #9aa4af;border-radius:4px;background:inherit;color:inherit;box-sizing:border-box}
.try>input,.try>textarea{display:block;width:100%;margin:.3rem 0}.try label{display:block}.answer pre{max-height:16rem}
@media(max-width:40rem){nav{columns:2}.m{min-width:0}}
@media(prefers-color-scheme:dark){body{background:#14171a;color:#e6e8ea}code,pre{background:#22272c}td,th{border-color:#333a41}a{color:#8ab4f8}}`;

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

export const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><h1>${escapeHtml(title)}</h1>${body}</body></html>`;

export const landingPage = (state: string, baseUrl: string): string =>
  page(
    'Trunkline',
    `<p>Recognition, speech, full-duplex voice agents and answering-machine detection behind one key. This server is <b>${escapeHtml(state)}</b>.</p>
<p><a href="/demo">Talk to it</a> · <a href="/console">Console</a> · <a href="/docs">Reference</a> · <a href="/openapi.json">OpenAPI</a> · <a href="/asyncapi.json">AsyncAPI</a> · <a href="/problems">Errors</a> ·
<a href="/reference/latest.json">Voices and controls</a> · <a href="/llms.txt">llms.txt</a></p>
<h2>Quick start</h2><p>Create a key that is valid for a day, then synthesize a sentence and transcribe it:</p>
<pre>KEY=$(curl -s -X POST ${escapeHtml(baseUrl)}/v1/sandbox/keys | sed 's/.*"api_key":"\\([^"]*\\)".*/\\1/')
curl ${escapeHtml(baseUrl)}/v1/audio/speech -H "Authorization: Bearer $KEY" \\
  -H "content-type: application/json" -d '{"input": "Hello."}' -o hello.mp3
curl ${escapeHtml(baseUrl)}/v1/audio/transcriptions -H "Authorization: Bearer $KEY" -F file=@hello.mp3</pre>`,
  );

const marked = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

export function problemPage(code: ErrorCode): string {
  const entry = ERRORS[code];
  const advice = entry.retry
    ? 'The same request may succeed later; wait as long as <code>Retry-After</code> says.'
    : 'The same request will fail again; change it first.';
  return page(
    entry.title,
    `<p><code>${code}</code> · HTTP ${entry.status} · <code>${entry.type}</code></p>
<h2>Cause</h2><p>${marked(entry.cause)}</p>
<h2>Example</h2><p>${marked(entry.example)}</p>
<h2>What to do</h2><p>${marked(entry.remedy)} ${advice}</p>
<p><a href="/problems">Every code</a> · <a href="/docs">Reference</a></p>`,
  );
}
