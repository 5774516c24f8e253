import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Environment, enter, get, type Json, ServerUnreachable, whenSignedOut } from '../data/api.ts';
import { leaveLive } from '../data/live.ts';
import { choosePerson } from '../data/preferences.ts';
import { useRoute } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { Page } from '../kit/page.tsx';
import { pageOf } from '../pages/index.tsx';
import { Choose } from './choose.tsx';
import { ConfirmEmail } from './confirm-email.tsx';
import { Frame } from './frame.tsx';
import { Join } from './join.tsx';
import { Forgot, Reset } from './password.tsx';
import { Recipient } from './recipient.tsx';
import { Refused } from './refused.tsx';
import { SignIn } from './sign-in.tsx';

const STORAGE_KEY = 'trunkline.place';

export interface Person {
  readonly session: Json;
  readonly projects: readonly Json[];
}

type State = 'asking' | 'unreachable' | 'out' | Person;

const RETRY_MS = 2_000;

function storedPlace(projects: readonly Json[]): { project: string; environment: Environment } {
  const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') as {
    project?: string;
    environment?: string;
  };
  const project = projects.find(({ id }) => id === stored.project) ?? projects[0];
  return { project: project?.id ?? '', environment: stored.environment === 'live' ? 'live' : 'sandbox' };
}

export function App() {
  const [state, setState] = useState<State>('asking');
  const [place, setPlace] = useState({ project: '', environment: 'sandbox' as Environment });
  const route = useRoute();
  const load = useCallback(async () => {
    try {
      const [session, projects] = await Promise.all([get('/auth/session'), get('/v1/projects')]);
      const chosen = storedPlace(projects.data);
      enter(chosen);
      choosePerson(String(session.user.id));
      setPlace(chosen);
      setState({ session, projects: projects.data });
    } catch (thrown) {
      if (!(thrown instanceof ServerUnreachable)) return setState('out');
      setState('unreachable');
      setTimeout(load, RETRY_MS);
    }
  }, []);
  useEffect(() => {
    whenSignedOut(() => setState('out'));
    void load();
  }, [load]);
  const move = (next: { project: string; environment: Environment }) => {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(next));
    enter(next);
    leaveLive();
    setPlace(next);
  };
  if (state === 'asking' || state === 'unreachable')
    return (
      <main>
        <p class="quiet" role="status">
          {state === 'asking'
            ? t('Loading…')
            : t('The server cannot be reached. The console opens as soon as it can.')}
        </p>
      </main>
    );
  const [name, token] = route;
  if (name === 'join' && token !== undefined)
    return <Join token={token} isSignedIn={state !== 'out'} onIn={load} />;
  if (name === 'choose' && token !== undefined) return <Choose ticket={token} onIn={load} />;
  if (name === 'forgot') return <Forgot />;
  if (name === 'reset' && token !== undefined) return <Reset token={token} onDone={() => setState('out')} />;
  if (name === 'email' && token !== undefined) return <ConfirmEmail token={token} />;
  if (name === 'recipient' && token !== undefined) return <Recipient token={token} />;
  if (state === 'out') return <SignIn onIn={load} />;
  const Shown = pageOf(route[0] as string);
  return (
    <Frame person={state} place={place} move={move} route={route} out={() => setState('out')}>
      <Refused />
      {Shown === null ? (
        <Page title={t('There is no such page')} />
      ) : (
        <Shown key={`${place.project} ${place.environment} ${route.join('/')}`} rest={route.slice(1)} />
      )}
    </Frame>
  );
}
