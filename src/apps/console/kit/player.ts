import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';

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
  const moved = () => {
    const at = audio.current?.currentTime ?? 0;
    setSeconds(at);
    if (at > 0) setUsed(true);
  };
  const seek = (wanted: number) => {
    const { current } = audio;
    if (current === null) return;
    current.currentTime = Math.max(0, Math.min(wanted, current.duration || wanted));
    setUsed(true);
    setSeconds(current.currentTime);
  };
  const toggle = () => {
    const { current } = audio;
    if (current?.paused) void current.play();
    else current?.pause();
  };
  return { audio, seconds, used, seek, toggle, moved };
}
