import { useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { Icon } from './icon.tsx';
import { notify } from './toast.tsx';

export type Samples = readonly (readonly [name: string, text: string])[];

export interface CodeProps {
  readonly samples: Samples;
}

export function Code({ samples }: CodeProps) {
  const [at, setAt] = useState(0);
  const text = samples[at]?.[1] ?? '';
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    notify(t('Copied.'));
  };
  return (
    <div class="code">
      <div class="row">
        {samples.length > 1 &&
          samples.map(([each], index) => (
            <button key={each} type="button" aria-pressed={index === at} onClick={() => setAt(index)}>
              {each}
            </button>
          ))}
        {/* Browsers have a clipboard on pages with TLS and on this machine alone. */}
        {navigator.clipboard && (
          <button type="button" onClick={copy}>
            <Icon name="copy" /> {t('Copy')}
          </button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function curlOf(method: string, path: string, body?: unknown): string {
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(location.origin + path)}`];
  lines.push('-H "Authorization: Bearer $TRUNKLINE_API_KEY"');
  if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'");
    lines.push(`-d ${quoted(JSON.stringify(body))}`);
  }
  return lines.join(' \\\n  ');
}

/** One request in each language that the console shows. */
export function samplesOf(method: string, path: string, body?: unknown): Samples {
  const address = location.origin + path;
  const json = body === undefined ? null : JSON.stringify(body, null, 2);
  return [
    ['curl', curlOf(method, path, body)],
    [
      'JavaScript',
      [
        `const answer = await fetch(${JSON.stringify(address)}, {`,
        ...(method === 'GET' ? [] : [`  method: '${method}',`]),
        '  headers: {',
        '    authorization: `Bearer ${' + 'process.env.TRUNKLINE_API_KEY}`,',
        ...(json === null ? [] : ["    'content-type': 'application/json',"]),
        '  },',
        ...(json === null ? [] : [`  body: JSON.stringify(${json.replaceAll('\n', '\n  ')}),`]),
        '});',
        'console.log(await answer.json());',
      ].join('\n'),
    ],
    [
      'Python',
      [
        'import json, os, urllib.request',
        '',
        'request = urllib.request.Request(',
        `    ${JSON.stringify(address)},`,
        `    method="${method}",`,
        '    headers={',
        '        "Authorization": "Bearer " + os.environ["TRUNKLINE_API_KEY"],',
        ...(json === null ? [] : ['        "Content-Type": "application/json",']),
        '    },',
        // Python has other words for true, false and null, so the body is a JSON text.
        ...(body === undefined ? [] : [`    data=${JSON.stringify(JSON.stringify(body))}.encode(),`]),
        ')',
        'print(json.load(urllib.request.urlopen(request)))',
      ].join('\n'),
    ],
  ];
}
