import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Json, remove } from '../data/api.ts';
import { percent } from '../data/format.ts';
import { useLoad, useScope } from '../data/load.ts';
import { speak } from '../data/sound.ts';
import { language, t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { Choose } from '../kit/choose.tsx';
import { Icon } from '../kit/icon.tsx';
import { ErrorNotice, LoadingState, Page } from '../kit/page.tsx';
import { notify } from '../kit/toast.tsx';
import { nameOfLanguage, SENTENCES } from './languages.ts';
import { CloneVoice } from './voice-clone.tsx';
import { DesignVoice } from './voice-design.tsx';
import { Pronunciations } from './voice-pronunciations.tsx';

const STORAGE_KEY = 'trunkline.favourites';
const ALL = '';

interface Filter {
  readonly language: string;
  readonly gender: string;
  readonly tier: string;
  readonly product: string;
  readonly words: string;
  readonly favourites: boolean;
}

const fits = (filter: Filter, favourites: readonly string[]) => (voice: Json) =>
  (filter.language === ALL || voice.language === filter.language) &&
  (filter.gender === ALL || voice.gender === filter.gender) &&
  (filter.tier === ALL || voice.tier === filter.tier) &&
  (filter.product === ALL || voice.available_on.includes(filter.product)) &&
  (!filter.favourites || favourites.includes(voice.id)) &&
  [voice.name, voice.id, ...voice.aliases].some((name: string) =>
    name.toLowerCase().includes(filter.words.toLowerCase()),
  );

export function Voices() {
  const stock = useLoad('/v1/voices?language=all');
  const canClone = useScope('speak:clone');
  const clones = useLoad(canClone ? '/v1/voice/clones' : null);
  return (
    <Page
      title={t('Voices')}
      lead={t('Hear each voice say a sentence, keep those you like, and make your own.')}
    >
      <div class="two">
        <CloneVoice isAllowed={canClone ?? false} made={clones.reload} />
        <DesignVoice />
      </div>
      <Own clones={clones.data?.data ?? []} changed={clones.reload} />
      <Pronunciations
        voices={(stock.data?.data ?? []).filter((one: Json) => one.available_on.includes('speak'))}
      />
      {stock.data === null ? <LoadingState error={stock.error} /> : <Library voices={stock.data.data} />}
    </Page>
  );
}

function Own({ clones, changed }: { readonly clones: readonly Json[]; readonly changed: () => void }) {
  if (clones.length === 0) return null;
  return (
    <section aria-label={t('Voices of your own')}>
      <h2>{t('Voices of your own')}</h2>
      <div class="cards wide">
        {clones.map((voice) => (
          <VoiceCard key={voice.id} voice={voice}>
            <meter min={0} max={1} value={voice.similarity} aria-label={t('Speaker similarity')} />
            <span class="quiet small">
              {t('Speaker similarity: {share}', { share: percent(voice.similarity) })}
            </span>
            <ActionButton
              label={t('Remove')}
              of={voice.name}
              danger
              run={() => remove(`/v1/voice/clones/${voice.id}`)}
              then={changed}
            />
          </VoiceCard>
        ))}
      </div>
    </section>
  );
}

function Library({ voices }: { readonly voices: readonly Json[] }) {
  const [favourites, setFavourites] = useState<readonly string[]>(() =>
    JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]'),
  );
  const spoken = [...new Set(voices.map((voice) => voice.language as string))].sort();
  const [filter, setFilter] = useState<Filter>({
    language: spoken.includes(language()) ? language() : ALL,
    gender: ALL,
    tier: ALL,
    product: ALL,
    words: '',
    favourites: false,
  });
  const change = (part: Partial<Filter>) => setFilter({ ...filter, ...part });
  const shown = voices.filter(fits(filter, favourites));
  const toggle = (id: string) => {
    const next = favourites.includes(id) ? favourites.filter((one) => one !== id) : [...favourites, id];
    localStorage.setItem(STORAGE_KEY, JSON.stringify(next));
    setFavourites(next);
  };
  return (
    <section aria-label={t('Library')}>
      <h2>{t('Library')}</h2>
      <div class="filters">
        <Choose
          label={t('Spoken language')}
          value={filter.language}
          options={[[ALL, t('All')], ...spoken.map((code) => [code, nameOfLanguage(code)] as const)]}
          onChange={(value) => change({ language: value })}
        />
        <Choose
          label={t('Gender')}
          value={filter.gender}
          options={[
            [ALL, t('All')],
            ['female', t('Female')],
            ['male', t('Male')],
          ]}
          onChange={(gender) => change({ gender })}
        />
        <Choose
          label={t('Tier')}
          value={filter.tier}
          options={[
            [ALL, t('All')],
            ['natural', t('Natural')],
            ['standard', t('Standard')],
          ]}
          onChange={(tier) => change({ tier })}
        />
        <Choose
          label={t('For')}
          value={filter.product}
          options={[
            [ALL, t('All')],
            ['omni', t('Calls')],
            ['speak', t('Speech')],
            ['cast', t('Cast')],
          ]}
          onChange={(product) => change({ product })}
        />
        <label class="search">
          {t('Name')}
          <input
            type="search"
            value={filter.words}
            onInput={(event) => change({ words: event.currentTarget.value })}
          />
        </label>
        <button
          type="button"
          aria-pressed={filter.favourites}
          onClick={() => change({ favourites: !filter.favourites })}
        >
          <Icon name="star" filled={filter.favourites} /> {t('Favourites')}
        </button>
      </div>
      <p class="quiet small" role="status">
        {t('{part} of {whole}', { part: shown.length, whole: voices.length })}
      </p>
      <div class="cards wide">
        {shown.map((voice) => (
          <VoiceCard
            key={voice.id}
            voice={voice}
            mark={
              <button
                type="button"
                class="icon-only"
                aria-pressed={favourites.includes(voice.id)}
                onClick={() => toggle(voice.id)}
              >
                <Icon name="star" filled={favourites.includes(voice.id)} />
                <span class="hidden">{t('Favourite {name}', { name: voice.name })}</span>
              </button>
            }
          />
        ))}
      </div>
      {shown.length === 0 && <p class="quiet">{t('No voice matches.')}</p>}
    </section>
  );
}

interface VoiceCardProps {
  readonly voice: Json;
  readonly mark?: ComponentChildren;
  readonly children?: ComponentChildren;
}

function VoiceCard({ voice, mark, children }: VoiceCardProps) {
  const [url, setUrl] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const listen = async () => {
    setBusy(true);
    setError(null);
    try {
      const input = SENTENCES[voice.language] ?? (SENTENCES.en as string);
      setUrl(URL.createObjectURL((await speak({ voice: voice.id, input })).blob));
    } catch (thrown) {
      setError(thrown as Error);
    }
    setBusy(false);
  };
  const copy = async () => {
    await navigator.clipboard.writeText(voice.id);
    notify(t('Copied.'));
  };
  const facts = [nameOfLanguage(voice.language), voice.gender, voice.tier, voice.region].filter(Boolean);
  return (
    <article class="card voice-card" aria-label={voice.name}>
      <div class="row ends">
        <h3>{voice.name}</h3>
        {mark}
      </div>
      <span class="quiet small">{facts.join(' · ')}</span>
      <ErrorNotice error={error} />
      {url !== null && (
        // biome-ignore lint/a11y/useMediaCaption: the sentence is the language's own.
        <audio controls autoplay src={url} aria-label={t('Speech of {voice}', { voice: voice.name })} />
      )}
      <div class="row">
        {url === null && voice.available_on.includes('speak') && (
          <button type="button" disabled={isBusy} onClick={listen}>
            <Icon name="play" /> {t('Listen')} <span class="hidden">{voice.name}</span>
          </button>
        )}
        {navigator.clipboard && (
          <button type="button" onClick={copy}>
            <Icon name="copy" /> <code>{voice.id}</code>
          </button>
        )}
        {children}
      </div>
    </article>
  );
}
