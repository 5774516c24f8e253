import { useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { number } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { type SpeechRequest, type Spoken, speak } from '../data/sound.ts';
import { language, t } from '../i18n/index.ts';
import { Choose } from '../kit/choose.tsx';
import { Code, curlOf } from '../kit/code.tsx';
import { Icon } from '../kit/icon.tsx';
import { ErrorNotice, LoadingState, Page } from '../kit/page.tsx';
import { SoundPlayer } from '../kit/sound-player.tsx';
import { nameOfLanguage, SENTENCES } from './languages.ts';

const SLOWEST = 0.7;
const FASTEST = 1.3;

export function TrySpeak() {
  const { data, error } = useLoad('/v1/voices?language=all');
  return (
    <Page title={t('Speech')} lead={t('Hear a text as callers would, alone or by two voices to compare.')}>
      {data === null ? (
        <LoadingState error={error} />
      ) : (
        <Bench voices={data.data.filter((one: Json) => one.available_on.includes('speak'))} />
      )}
    </Page>
  );
}

interface SpeechResult extends Spoken {
  readonly request: SpeechRequest;
}

function Bench({ voices }: { readonly voices: readonly Json[] }) {
  const first: Json = voices.find((one) => one.language === language()) ?? voices[0];
  const [text, setText] = useState(SENTENCES[first.language] ?? '');
  const [one, setOne] = useState<string>(first.id);
  const [other, setOther] = useState('');
  const [speed, setSpeed] = useState(1);
  const [emotion, setEmotion] = useState('');
  const [heard, setHeard] = useState<readonly SpeechResult[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState<Error | null>(null);
  const voiceOf = (id: string): Json => voices.find((voice) => voice.id === id);
  const requestOf = (id: string): SpeechRequest => ({
    voice: id,
    input: text,
    ...(speed === 1 ? {} : { speed }),
    ...(emotion !== '' && voiceOf(id).emotions.includes(emotion) ? { emotion } : {}),
  });
  const wanted = [one, other].filter(Boolean);
  const run = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setFailed(null);
    try {
      const made: SpeechResult[] = [];
      // The requests run one after the other, because parallel ones would slow each other down.
      for (const id of wanted) made.push({ ...(await speak(requestOf(id))), request: requestOf(id) });
      setHeard(made);
    } catch (thrown) {
      setFailed(thrown as Error);
    }
    setBusy(false);
  };
  const choose = (id: string) => {
    const known = Object.values(SENTENCES).includes(text);
    if (known) setText(SENTENCES[voiceOf(id).language] ?? text);
    setOne(id);
  };
  const options = voices.map(({ id, name, language: spoken, tier }) => [
    id,
    `${name} · ${nameOfLanguage(spoken)} · ${tier}`,
  ]) as [string, string][];
  return (
    <>
      <form class="card" onSubmit={run}>
        <div class="field">
          <label for="speak-text">{t('Text')}</label>
          <textarea
            id="speak-text"
            required
            maxLength={4096}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
        <div class="filters">
          <Choose label={t('Voice')} value={one} options={options} onChange={choose} />
          <Choose
            label={t('Compare with')}
            value={other}
            options={[['', t('No other voice')], ...options.filter(([id]) => id !== one)]}
            onChange={setOther}
          />
          {voiceOf(one).emotions.length > 0 && (
            <Choose
              label={t('Emotion')}
              value={emotion}
              options={[
                ['', t('As the text is')],
                ...voiceOf(one).emotions.map((each: string) => [each, each] as const),
              ]}
              onChange={setEmotion}
            />
          )}
          <label>
            {t('Speed {n}', { n: number(speed, 2) })}
            <input
              type="range"
              min={SLOWEST}
              max={FASTEST}
              step="0.05"
              value={speed}
              onInput={(event) => setSpeed(Number(event.currentTarget.value))}
            />
          </label>
        </div>
        <div class="row">
          <button type="submit" class="main" disabled={isBusy}>
            <Icon name="play" /> {t('Speak')}
          </button>
          <span role="status" class="quiet">
            {isBusy ? t('Working…') : ''}
          </span>
        </div>
      </form>
      <ErrorNotice error={failed} />
      <div class="two">
        {heard.map((each, index) => (
          <section key={each.request.voice} class="card" aria-label={voiceOf(each.request.voice).name}>
            <h2>
              {heard.length > 1 && `${index === 0 ? 'A' : 'B'} · `}
              {voiceOf(each.request.voice).name}
            </h2>
            <SoundPlayer
              blob={each.blob}
              label={t('Speech of {voice}', { voice: voiceOf(each.request.voice).name })}
              plays={index === 0}
            />
            <p class="quiet small">
              {t('The audio was complete after {ms} ms; calls start to play it earlier.', {
                ms: number(each.tookMs),
              })}
            </p>
          </section>
        ))}
      </div>
      <section class="card">
        <h2>{t('The same from a program')}</h2>
        <Code samples={samplesOf(requestOf(one))} />
      </section>
    </>
  );
}

function samplesOf(request: SpeechRequest): readonly (readonly [string, string])[] {
  const body = { model: 'svc-speak', ...request };
  const json = JSON.stringify(body, null, 2);
  const { origin } = location;
  return [
    ['curl', `${curlOf('POST', '/v1/audio/speech', body)} \\\n  -o speech.mp3`],
    [
      'JavaScript',
      `const answer = await fetch('${origin}/v1/audio/speech', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.TRUNKLINE_API_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify(${json.replaceAll('\n', '\n  ')}),
});`,
    ],
    [
      'Python',
      `from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=os.environ["TRUNKLINE_API_KEY"])
audio = client.audio.speech.create(
    model="svc-speak",
    voice=${JSON.stringify(request.voice)},
    input=${JSON.stringify(request.input)},${request.speed === undefined ? '' : `\n    speed=${request.speed},`}
)
audio.write_to_file("speech.mp3")`,
    ],
  ];
}
