import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Environment, post } from '../data/api.ts';
import { readPreference, storePreference } from '../data/preferences.ts';
import { to } from '../data/route.ts';
import { LANGUAGES, type Language, language, speak, t } from '../i18n/index.ts';
import { Icon } from '../kit/icon.tsx';
import { Toasts } from '../kit/toast.tsx';
import type { Person } from './app.tsx';
import { MENU, type MenuGroup } from './menu.ts';
import { opensPalette, Palette } from './palette.tsx';
import { keepTheme, theme } from './theme.ts';

export interface FrameProps {
  readonly person: Person;
  readonly place: { readonly project: string; readonly environment: Environment };
  readonly move: (place: { project: string; environment: Environment }) => void;
  readonly route: readonly string[];
  readonly out: () => void;
  readonly children: ComponentChildren;
}

export function Frame({ person, place, move, route, out, children }: FrameProps) {
  const [open, setOpen] = useState(false);
  const [isSearching, setSearching] = useState(false);
  useEffect(() => setOpen(false), [route]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!opensPalette(event)) return;
      event.preventDefault();
      setSearching(true);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <div class="frame" data-environment={place.environment}>
      <button type="button" class="skip" onClick={skip}>
        {t('Skip to the content')}
      </button>
      <nav class={`side${open ? ' open' : ''}`} id="menu" aria-label={t('Pages')}>
        <p class="brand">
          <Icon name="hear" /> Trunkline
        </p>
        {MENU.map((group) => (
          <Group key={group.group} of={group} current={route[0] as string} />
        ))}
        <div class="foot">
          <p class="quiet">
            {person.session.organization.name}
            <br />
            {person.session.user.email}
          </p>
          <Looks />
          <button
            type="button"
            onClick={async () => {
              await post('/auth/logout').catch(() => undefined);
              out();
            }}
          >
            {t('Sign out')}
          </button>
        </div>
      </nav>
      <div>
        <header class="top">
          <button
            type="button"
            class="menu"
            aria-expanded={open}
            aria-controls="menu"
            onClick={() => setOpen(!open)}
          >
            <Icon name="menu" /> <span>{t('Menu')}</span>
          </button>
          <Choice
            label={t('Project')}
            value={place.project}
            options={person.projects.map(({ id, name }) => [id, name])}
            onChange={(project) => move({ ...place, project })}
          />
          <span class="environment">
            <Choice
              label={t('Environment')}
              value={place.environment}
              options={[
                ['sandbox', t('Sandbox')],
                ['live', t('Live')],
              ]}
              onChange={(environment) => move({ ...place, environment: environment as Environment })}
            />
          </span>
          <span class="says grow">
            {place.environment === 'live'
              ? t('Calls reach real people, and cost money.')
              : t('Nothing here reaches anybody or costs money.')}
          </span>
          <button type="button" onClick={() => setSearching(true)}>
            <Icon name="search" /> <span class="hidden">{t('Go to a page')}</span> <kbd>Ctrl K</kbd>
          </button>
        </header>
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
      {isSearching && <Palette close={() => setSearching(false)} />}
      <Toasts />
    </div>
  );
}

interface GroupProps {
  readonly of: MenuGroup;
  readonly current: string;
}

function Group({ of: { group, pages, isFolded = false }, current }: GroupProps) {
  const stored = `menu.${pages[0]?.name}`;
  const hasCurrent = pages.some(({ name }) => name === current);
  const [isOpen, setOpen] = useState(
    () => hasCurrent || (readPreference<{ isOpen: boolean }>(stored).isOpen ?? !isFolded),
  );
  useEffect(() => {
    if (hasCurrent) setOpen(true);
  }, [hasCurrent]);
  const toggle = (event: Event) => {
    event.preventDefault();
    setOpen(!isOpen);
    storePreference(stored, { isOpen: !isOpen });
  };
  const list = (
    <ul {...(group === '' ? {} : { 'aria-label': group })}>
      {pages.map(({ name, label, icon, about }) => (
        <li key={name}>
          <a href={to(name)} aria-current={current === name ? 'page' : undefined}>
            <Icon name={icon} />
            {label}
            {about && (
              <span class="about" aria-hidden="true">
                {about}
              </span>
            )}
          </a>
        </li>
      ))}
    </ul>
  );
  if (group === '') return list;
  return (
    <details open={isOpen}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: browsers make a summary a button. */}
      <summary class="group" onClick={toggle}>
        {group}
      </summary>
      {list}
    </details>
  );
}

function skip(): void {
  document.getElementById('main')?.focus();
}

export function Looks() {
  const [shown, setShown] = useState(theme());
  const next = shown === 'dark' ? 'light' : 'dark';
  return (
    <>
      <Choice
        label={t('Language')}
        value={language()}
        options={Object.entries(LANGUAGES)}
        onChange={(wanted) => speak(wanted as Language)}
      />
      <button
        type="button"
        onClick={() => {
          keepTheme(next);
          setShown(next);
        }}
      >
        {next === 'dark' ? t('Dark') : t('Light')}
      </button>
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
