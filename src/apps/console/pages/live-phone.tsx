import { useEffect, useRef, useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { time } from '../data/format.ts';
import { type Levels, type Mode, Supervision } from '../data/supervision.ts';
import { t } from '../i18n/index.ts';
import { Act } from '../kit/act.tsx';
import { Form } from '../kit/form.tsx';
import { Level } from '../kit/level.tsx';
import { type Line, Said } from '../kit/said.tsx';
import { State } from '../kit/state.tsx';
import { LastAnswer } from './last-answer.tsx';

const SILENCE = -90;
/** The server tells ten times a second: who is not told of is silent. */
const LEVELS_LAST_MS = 500;

const STANDING: Readonly<Record<Mode, string>> = {
  listen: t('You hear the call. Nobody hears you.'),
  join: t('Everybody hears you.'),
  take_over: t('You have the call: the agent is gone, and the caller hears you.'),
};

type On = { readonly supervision: Supervision; readonly mode: Mode };

export interface LivePhoneProps {
  readonly phone: Json;
  readonly lines: readonly Line[];
  readonly turns: readonly Json[];
}

/** One answered telephone call: who talks, what is said, and a place on it. */
export function LivePhone({ phone, lines, turns }: LivePhoneProps) {
  const { on, over, listen, change, leave, levels } = useSupervision(phone.id);
  const other = phone.direction === 'inbound' ? phone.from : phone.to;
  return (
    <section class="card" aria-label={t('Telephone call with {who}', { who: other })}>
      <div class="row ends">
        <strong>{other}</strong>
        <State of={on === null ? phone.state : on.mode} />
      </div>
      <p class="quiet">
        {phone.direction === 'inbound' ? t('Called us') : t('Called by us')} · {time(phone.answered_at)}
      </p>
      {on === null ? (
        <p class="row">
          <Act label={t('Listen in')} of={other} main run={listen} />
        </p>
      ) : (
        <Desk on={on} change={change} leave={leave} levels={levels} of={other} />
      )}
      <p role="status" class="quiet">
        {on === null ? over : STANDING[on.mode]}
      </p>
      <LastAnswer turns={turns} />
      <Said lines={lines} live />
    </section>
  );
}

interface DeskProps {
  readonly on: On;
  readonly change: (mode: Mode) => Promise<void>;
  readonly leave: () => void;
  readonly levels: Levels;
  readonly of: string;
}

/** What a supervisor can do. */
function Desk({ on, change, leave, levels, of }: DeskProps) {
  const { supervision, mode } = on;
  return (
    <>
      <Level label={t('Caller')} side="user" dbfs={levels.caller} />
      <Level label={t('Agent')} side="agent" dbfs={levels.agent} />
      <div class="row">
        {mode !== 'take_over' && <Act label={t('Take over')} of={of} main run={() => change('take_over')} />}
        {mode === 'listen' && <Act label={t('Join')} of={of} run={() => change('join')} />}
        {mode === 'join' && <Act label={t('Only listen')} of={of} run={() => change('listen')} />}
        {mode === 'take_over' && (
          <Act label={t('Give the call back to the agent')} of={of} main run={() => change('listen')} />
        )}
        <button type="button" onClick={leave}>
          {t('Leave the call')}
        </button>
        <Act label={t('Hang up for all')} of={of} danger run={async () => supervision.hangUp()} />
      </div>
      {mode !== 'take_over' && (
        <Form
          fields={[
            {
              name: 'text',
              label: t('Whisper to the agent'),
              needed: true,
              hint: t('For its next words. The caller does not hear it.'),
            },
          ]}
          submit={t('Whisper')}
          clears
          onSubmit={({ text }: Json) => supervision.whisper(text)}
        />
      )}
    </>
  );
}

const QUIET: Levels = { caller: SILENCE, agent: SILENCE };

function useSupervision(callId: string) {
  const [on, setOn] = useState<On | null>(null);
  const [over, setOver] = useState('');
  const [levels, setLevels] = useState(QUIET);
  const current = useRef<Supervision | null>(null);
  const timer = useRef(0);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      current.current?.leave();
    },
    [],
  );
  const gone = (why: string) => {
    current.current = null;
    setOn(null);
    setOver(why);
    setLevels(QUIET);
  };
  const heard = (next: Levels) => {
    setLevels(next);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setLevels(QUIET), LEVELS_LAST_MS);
  };
  const listen = async () => {
    const supervision = await Supervision.begin(callId, { levels: heard, over: gone });
    current.current = supervision;
    setOver('');
    setOn({ supervision, mode: 'listen' });
  };
  const change = async (mode: Mode) => {
    if (on === null) return;
    await on.supervision.mode(mode);
    setOn({ ...on, mode });
  };
  const leave = () => {
    current.current?.leave();
    gone(t('You have left the call.'));
  };
  return { on, over, levels, listen, change, leave };
}
