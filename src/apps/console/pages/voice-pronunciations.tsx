import { useEffect, useState } from 'preact/hooks';
import { type Json, put } from '../data/api.ts';
import { useLoad } from '../data/load.ts';
import { speak } from '../data/sound.ts';
import { language, t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { Choose } from '../kit/choose.tsx';
import { Icon } from '../kit/icon.tsx';
import { ErrorNotice } from '../kit/page.tsx';
import { Table } from '../kit/table.tsx';
import { notify } from '../kit/toast.tsx';
import { nameOfLanguage } from './languages.ts';

const PATH = '/v1/speak/pronunciations';

interface Entry {
  readonly word: string;
  readonly say: string;
  readonly language?: string;
}

const isSameWord = (one: Entry, other: Entry): boolean =>
  one.word.toLowerCase() === other.word.toLowerCase() && one.language === other.language;

/** Words of the project that its voices say by another spelling. */
export function Pronunciations({ voices }: { readonly voices: readonly Json[] }) {
  const { data, error, reload } = useLoad(PATH);
  const entries: readonly Entry[] = data?.pronunciations ?? [];
  const spoken = [...new Set(voices.map((voice) => voice.language as string))].sort();
  const store = async (next: readonly Entry[]) => {
    await put(PATH, { pronunciations: next });
    reload();
  };
  const voiceOf = (code: string | undefined): string =>
    (voices.find((voice) => voice.language === (code ?? language())) ?? voices[0])?.id;
  return (
    <details class="card" open={entries.length > 0}>
      <summary>{t('Pronunciations')}</summary>
      <p class="quiet">
        {t(
          'A word that voices say wrongly, and a spelling that they say rightly. Calls, speech, Cast and dubs say it so; transcripts keep the word.',
        )}
      </p>
      <ErrorNotice error={error} />
      {entries.length > 0 && (
        <Table
          caption={t('Pronunciations')}
          rows={entries}
          nameOf={(row) => row.word}
          columns={[
            { label: t('Word'), of: (row) => row.word, sort: (row) => row.word.toLowerCase() },
            { label: t('Said as'), of: (row) => row.say },
            {
              label: t('Language'),
              of: (row) => (row.language === undefined ? t('All') : nameOfLanguage(row.language)),
            },
          ]}
          actions={(row) => (
            <>
              <Hear text={row.word} voice={voiceOf(row.language)} />
              <ActionButton
                label={t('Remove')}
                of={row.word}
                run={async () => {
                  await store(entries.filter((one) => one !== row));
                  notify(t('{word} is said as it is written.', { word: row.word }), () => store(entries));
                }}
              />
            </>
          )}
        />
      )}
      <NewEntry
        spoken={spoken}
        voiceOf={voiceOf}
        add={async (entry) => {
          await store([...entries.filter((one) => !isSameWord(one, entry)), entry]);
          notify(t('Voices say it so from now on.'));
        }}
      />
    </details>
  );
}

interface NewEntryProps {
  readonly spoken: readonly string[];
  readonly voiceOf: (code: string | undefined) => string;
  readonly add: (entry: Entry) => Promise<void>;
}

function NewEntry({ spoken, voiceOf, add }: NewEntryProps) {
  const [word, setWord] = useState('');
  const [say, setSay] = useState('');
  const [code, setCode] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const only = code === '' ? {} : { language: code };
  const send = async (event: Event) => {
    event.preventDefault();
    setError(null);
    try {
      await add({ word: word.trim(), say: say.trim(), ...only });
      setWord('');
      setSay('');
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  return (
    <form onSubmit={send} aria-label={t('Pronunciations')}>
      <div class="filters">
        <label>
          {t('Word')}
          <input
            required
            maxLength={64}
            autocomplete="off"
            value={word}
            onInput={(event) => setWord(event.currentTarget.value)}
          />
        </label>
        <label>
          {t('Said as')}
          <input
            required
            maxLength={128}
            autocomplete="off"
            value={say}
            onInput={(event) => setSay(event.currentTarget.value)}
          />
        </label>
        <Choose
          label={t('Language')}
          value={code}
          options={[['', t('All')], ...spoken.map((one) => [one, nameOfLanguage(one)] as const)]}
          onChange={setCode}
        />
        <Hear text={say} voice={voiceOf(code === '' ? undefined : code)} />
        <button type="submit" class="main">
          {t('Add')}
        </button>
      </div>
      <ErrorNotice error={error} />
    </form>
  );
}

function Hear({ text, voice }: { readonly text: string; readonly voice: string }) {
  const [url, setUrl] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);
  const listen = async () => {
    setError(null);
    try {
      setUrl(URL.createObjectURL((await speak({ voice, input: text })).blob));
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  return (
    <>
      <button type="button" disabled={text.trim() === ''} onClick={listen}>
        <Icon name="play" /> {t('Listen')} <span class="hidden">{text}</span>
      </button>
      {url !== null && (
        // biome-ignore lint/a11y/useMediaCaption: the word stands beside it.
        <audio class="hidden" autoplay src={url} aria-label={text} />
      )}
      <ErrorNotice error={error} />
    </>
  );
}
