'use client';

import type { JSX } from 'react';
import { type CallOptions, useCall } from './use-call.js';

export interface CallButtonProps extends CallOptions {
  readonly className?: string;
}

/** A button that calls, with captions, mute, the microphone's level and a keypad while the call lasts. */
export function CallButton({ className, ...options }: CallButtonProps): JSX.Element {
  const { container, state, error } = useCall(options);
  return (
    <span className={className}>
      <span ref={container} />
      {state === 'unavailable' ? <span role="alert">{error}</span> : null}
    </span>
  );
}
