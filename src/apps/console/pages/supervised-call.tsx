import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { to } from '../data/route.ts';
import { type CallLevels, Supervision, type SupervisorMode } from '../data/supervision.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { Form } from '../kit/form.tsx';
import { LevelMeter } from '../kit/level-meter.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { type TranscriptLine, TranscriptList } from '../kit/transcript-list.tsx';
import { LastAnswer } from './last-answer.tsx';

const SILENCE = -90;
/** The server sends levels ten times a second; a side without a level is silent. */
const LEVELS_LAST_MS = 500;

const STANDING: Readonly<Record<SupervisorMode, string>> = {
  listen: t('You hear the call. Nobody hears you.'),
  join: t('Everybody hears you.'),
  take_over: t('You have the call: the agent is silent, and the caller hears you.'),
};

type On = { readonly supervision: Supervision; readonly mode: SupervisorMode };

export interface SupervisedCallProps {
  readonly callId: string;
  /** Names the card of the call. */
  readonly label: string;
  readonly who: string;
  readonly state: string;
  readonly facts: ComponentChildren;
  readonly lines: readonly TranscriptLine[];
  readonly turns: readonly Json[];
  /** A call that is over cannot be heard. */
  readonly isOver?: boolean;
}

export function SupervisedCall(props: SupervisedCallProps) {
  const { callId, label, who, state, facts, lines, turns, isOver = false } = props;
  const [denoise, setDenoise] = useState(false);
  const { on, over, listen, change, leave, levels } = useSupervision(callId, denoise);
  return (
    <section class="card" aria-label={label}>
      <div class="row ends">
        <strong>{who}</strong>
        <StateBadge of={on === null ? state : on.mode} />
      </div>
      <p class="quiet">{facts}</p>
      {on === null ? (
        !isOver && (
          <p class="row">
            <ActionButton label={t('Listen in')} of={who} main run={listen} />
            <label>
              <input
                type="checkbox"
                checked={denoise}
                onChange={({ currentTarget }) => setDenoise(currentTarget.checked)}
              />{' '}
              {t('Without the caller’s noise')}
            </label>
          </p>
        )
      ) : (
        <SupervisorControls on={on} change={change} leave={leave} levels={levels} of={who} />
      )}
      <p role="status" class="quiet">
        {on === null ? over : STANDING[on.mode]}
        {on !== null && denoise && !on.supervision.isDenoised && (
          <> {t('The server is busy: the noise stays in.')}</>
        )}
      </p>
      <LastAnswer turns={turns} />
      <TranscriptList lines={lines} live />
      {isOver && <a href={to('calls', callId)}>{t('See the record')}</a>}
    </section>
  );
}

interface SupervisorControlsProps {
  readonly on: On;
  readonly change: (mode: SupervisorMode) => Promise<void>;
  readonly leave: () => void;
  readonly levels: CallLevels;
  readonly of: string;
}

function SupervisorControls({ on, change, leave, levels, of }: SupervisorControlsProps) {
  const { supervision, mode } = on;
  return (
    <>
      <LevelMeter label={t('Caller')} side="user" dbfs={levels.caller} />
      <LevelMeter label={t('Agent')} side="agent" dbfs={levels.agent} />
      <div class="row">
        {mode !== 'take_over' && (
          <ActionButton label={t('Take over')} of={of} main run={() => change('take_over')} />
        )}
        {mode === 'listen' && <ActionButton label={t('Join')} of={of} run={() => change('join')} />}
        {mode === 'join' && <ActionButton label={t('Only listen')} of={of} run={() => change('listen')} />}
        {mode === 'take_over' && (
          <ActionButton
            label={t('Give the call back to the agent')}
            of={of}
            main
            run={() => change('listen')}
          />
        )}
        <button type="button" onClick={leave}>
          {t('Leave the call')}
        </button>
        <ActionButton label={t('Hang up for all')} of={of} danger run={async () => supervision.hangUp()} />
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

const QUIET: CallLevels = { caller: SILENCE, agent: SILENCE };

function useSupervision(callId: string, denoise: boolean) {
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
  const heard = (next: CallLevels) => {
    setLevels(next);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setLevels(QUIET), LEVELS_LAST_MS);
  };
  const listen = async () => {
    const supervision = await Supervision.begin(callId, { levels: heard, over: gone }, { denoise });
    current.current = supervision;
    setOver('');
    setOn({ supervision, mode: 'listen' });
  };
  const change = async (mode: SupervisorMode) => {
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
