import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { notify } from './toast.tsx';

export interface Player {
  readonly audio: RefObject<HTMLAudioElement | null>;
  readonly seconds: number;
  /** It is false until the person plays or seeks, so that nothing is highlighted before. */
  readonly used: boolean;
  readonly seek: (seconds: number) => void;
  readonly toggle: () => void;
  readonly moved: () => void;
}

export function usePlayer(): Player {
  const audio = useRef<HTMLAudioElement>(null);
  const [seconds, setSeconds] = useState(0);
  const [used, setUsed] = useState(false);
  /** Chromium may never end a seek that another one replaces, so the next waits until the one before is done. */
  const next = useRef<number | null>(null);
  const moved = () => {
    const { current } = audio;
    if (current === null) return;
    if (next.current !== null && !current.seeking) {
      current.currentTime = next.current;
      next.current = null;
    }
    const at = next.current ?? current.currentTime;
    setSeconds(at);
    if (at > 0) setUsed(true);
  };
  const seek = (wanted: number) => {
    const { current } = audio;
    if (current === null) return;
    const at = Math.max(0, Math.min(wanted, current.duration || wanted));
    if (current.seeking) next.current = at;
    else {
      next.current = null;
      current.currentTime = at;
    }
    setUsed(true);
    setSeconds(at);
  };
  const toggle = () => {
    const { current } = audio;
    if (current?.paused)
      current.play().catch((refusal: DOMException) => {
        // Whoever pauses before the sound begins aborts it.
        if (refusal.name !== 'AbortError') notify(refusal.message);
      });
    else current?.pause();
  };
  return { audio, seconds, used, seek, toggle, moved };
}
