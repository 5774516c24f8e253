import { useState } from 'preact/hooks';
import { get, type Json } from '../data/api.ts';
import { detect } from '../data/detection.ts';
import { length, number, percent } from '../data/format.ts';
import { to } from '../data/route.ts';
import { decodeSound, speak, wavOf } from '../data/sound.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { Code } from '../kit/code.tsx';
import { Form } from '../kit/form.tsx';
import { ErrorNotice, Page } from '../kit/page.tsx';
import { SoundPlayer } from '../kit/sound-player.tsx';
import { Evidence } from './amd-evidence.tsx';

interface Judged {
  readonly blob: Blob;
  readonly call: Json;
  readonly ms: number;
}

const HERTZ = 8_000;
const BEEP_HERTZ = 1_000;
const BEEP_S = 0.5;
const EXAMPLES = [
  { label: t('A person answers'), text: 'Hello?', beep: false },
  {
    label: t('A voicemail answers'),
    text: 'Hi, you have reached Anna Miller. I cannot take your call right now. Please leave a message after the tone.',
    beep: true,
  },
  {
    label: t('A menu answers'),
    text: 'Thank you for calling. For sales, press one. For support, press two. For all other questions, stay on the line.',
    beep: false,
  },
] as const;

async function exampleOf({ text, beep }: (typeof EXAMPLES)[number]): Promise<Blob> {
  const { samples } = await decodeSound((await speak({ voice: 'en1', input: text })).blob, HERTZ);
  const tone = beep
    ? Float32Array.from(
        { length: BEEP_S * HERTZ },
        (_, at) => 0.4 * Math.sin((2 * Math.PI * BEEP_HERTZ * at) / HERTZ),
      )
    : new Float32Array(0);
  const all = new Float32Array(samples.length + HERTZ / 2 + tone.length);
  all.set(samples);
  all.set(tone, samples.length + HERTZ / 2);
  return wavOf(all, HERTZ);
}

export function TryAmd() {
  const [judged, setJudged] = useState<Judged | null>(null);
  const [sentMs, setSentMs] = useState<number | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const judge = async (blob: Blob) => {
    setError(null);
    setJudged(null);
    try {
      const verdict = await detect(blob, setSentMs);
      const { peaks } = await decodeSound(blob, HERTZ);
      const call = await get(`/v1/amd/calls/${verdict.call_id}`);
      setJudged({ blob, call, ms: peaks.seconds * 1000 });
    } catch (thrown) {
      setError(thrown as Error);
    }
    setSentMs(null);
  };
  return (
    <Page
      title={t('Who answered')}
      lead={t('Upload the recording of a call, and see whether a person or a machine answered, and why.')}
    >
      <div class="two">
        <section class="card">
          <h2>{t('A recording of yours')}</h2>
          <Form
            submit={t('Judge')}
            fields={[
              {
                name: 'file',
                label: t('File'),
                kind: 'file',
                needed: true,
                hint: t('The called side alone, from the moment of the answer.'),
              },
            ]}
            onSubmit={({ file }) => judge(file)}
          />
        </section>
        <section class="card">
          <h2>{t('Or an example')}</h2>
          <p class="quiet">{t('It is spoken by this server, and judged as a call would be.')}</p>
          <div class="row">
            {EXAMPLES.map((example) => (
              <ActionButton
                key={example.label}
                label={example.label}
                run={async () => judge(await exampleOf(example))}
              />
            ))}
          </div>
        </section>
      </div>
      <ErrorNotice error={error} />
      {sentMs !== null && (
        <p role="status" class="quiet">
          {t('Transcribed so far: {time}', { time: length(sentMs / 1000) })}
        </p>
      )}
      {judged !== null && <Result of={judged} />}
      <section class="card">
        <h2>{t('The same from a program')}</h2>
        <p class="quiet">
          {t('Send the media stream of a carrier to this address; the verdict arrives as a message.')}
        </p>
        <Code
          samples={[
            [
              'TwiML',
              `<Start>\n  <Stream url="${location.origin.replace('http', 'ws')}/v1/amd/stream" track="inbound_track">\n    <Parameter name="api_key" value="…" />\n  </Stream>\n</Start>`,
            ],
          ]}
        />
      </section>
    </Page>
  );
}

const ROWS = [
  ['speech', t('Speech'), 1],
  ['tone', t('Tone'), 2],
  ['music', t('Music'), 4],
  ['words', t('Words'), 3],
] as const;

interface Stretch {
  readonly kind: string;
  readonly from: number;
  to: number;
}

/** A state without an end lasts until the end of the audio. */
function stretchesOf(evidence: readonly Json[], wholeMs: number): readonly Stretch[] {
  const found: Stretch[] = [];
  const open = new Map<string, Stretch>();
  for (const { kind, at_ms, from_ms = at_ms, to_ms } of evidence) {
    const state = kind === 'quiet' ? 'speech' : kind;
    const begun = open.get(state);
    if (begun !== undefined) {
      begun.to = from_ms;
      open.delete(state);
    } else if (kind !== 'quiet') {
      const stretch = { kind, from: from_ms, to: to_ms ?? wholeMs };
      found.push(stretch);
      if (kind === 'speech' || kind === 'music') open.set(kind, stretch);
    }
  }
  return found;
}

function Result({ of: { blob, call, ms: whole } }: { readonly of: Judged }) {
  const stretches = stretchesOf(call.evidence, whole);
  return (
    <section class="card judged" aria-label={t('Verdict')}>
      <h2>{t('Verdict')}</h2>
      <p>
        <span class="verdict">{call.answered_by.replaceAll('_', ' ')}</span>{' '}
        <span class="quiet">
          {t('{share} sure after {ms} ms: {reason}', {
            share: percent(call.confidence),
            ms: number(call.at_ms),
            reason: call.reason,
          })}
        </span>
      </p>
      <SoundPlayer
        blob={blob}
        label={t('Recording')}
        marks={[
          { at: call.at_ms / 1000, label: t('Verdict'), bad: true },
          ...(call.message_end === null
            ? []
            : [{ at: call.message_end.at_ms / 1000, label: t('A message can be left') }]),
        ]}
      />
      {call.message_end !== null && (
        <p>
          {t('A message can be left after {time} s: {why}', {
            time: number(call.message_end.at_ms / 1000, 2),
            why: call.message_end.kind,
          })}
        </p>
      )}
      <div class="evidence">
        {ROWS.map(([kind, label, colour]) => (
          <Row
            key={kind}
            label={label}
            colour={colour}
            whole={whole}
            stretches={stretches.filter((one) => one.kind === kind)}
          />
        ))}
      </div>
      <details>
        <summary>{t('All of the evidence')}</summary>
        <Evidence of={call.evidence} />
      </details>
      <p>
        <a href={to('amd', call.id)}>{t('Open this call')}</a>
      </p>
    </section>
  );
}

interface RowProps {
  readonly label: string;
  readonly colour: number;
  readonly whole: number;
  readonly stretches: readonly Stretch[];
}

function Row({ label, colour, whole, stretches }: RowProps) {
  return (
    <>
      <span>{label}</span>
      <svg class="stretch" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
        {stretches.map(({ from, to: end }) => (
          <rect
            key={from}
            class={`bar-${colour}`}
            x={(from / whole) * 1000}
            width={Math.max(4, ((Math.min(end, whole) - from) / whole) * 1000)}
            height="10"
          />
        ))}
      </svg>
    </>
  );
}
