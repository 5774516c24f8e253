import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Environment, post } from '../data/api.ts';
import { to } from '../data/route.ts';
import { LANGUAGES, type Language, language, speak, t } from '../i18n/index.ts';
import type { Person } from './app.tsx';
import { MENU } from './menu.ts';
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
  useEffect(() => setOpen(false), [route]);
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={skip}>
        {t('Skip to the content')}
      </button>
      <nav class={`side${open ? ' open' : ''}`} id="menu" aria-label={t('Pages')}>
        <p class="brand">Trunkline</p>
        {MENU.map(({ group, pages }) => (
          <div key={group}>
            <p class="group" id={`group-${group}`}>
              {group}
            </p>
            <ul aria-labelledby={`group-${group}`}>
              {pages.map(([name, label]) => (
                <li key={name}>
                  <a href={to(name)} aria-current={route[0] === name ? 'page' : undefined}>
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
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
            {t('Menu')}
          </button>
          <span class="grow quiet">
            {person.session.organization.name} · {person.session.user.email}
          </span>
          <Choice
            label={t('Project')}
            value={place.project}
            options={person.projects.map(({ id, name }) => [id, name])}
            onChange={(project) => move({ ...place, project })}
          />
          <Choice
            label={t('Environment')}
            value={place.environment}
            options={[
              ['sandbox', t('Sandbox')],
              ['live', t('Live')],
            ]}
            onChange={(environment) => move({ ...place, environment: environment as Environment })}
          />
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
        </header>
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
}

function skip(): void {
  document.getElementById('main')?.focus();
}

/** Language, and light or dark. */
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
      {label}
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
