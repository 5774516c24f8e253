import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Position } from './document.ts';
import { BOX, type Bounds } from './layout.ts';

export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Viewing {
  readonly view: View;
  readonly pan: (dx: number, dy: number) => void;
  readonly zoom: (factor: number, at?: Position) => void;
  readonly fit: () => void;
  readonly show: (place: Position) => void;
  /** Maps a point of the window to the drawing. */
  readonly pointAt: (clientX: number, clientY: number) => Position;
}

const LEAST = 0.15;
const MOST = 2.5;
const MARGIN = 28;

export function useView(svg: RefObject<SVGSVGElement | null>, bounds: Bounds): Viewing {
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
  const known = useRef(bounds);
  known.current = bounds;
  const sizeOf = () => svg.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 640, 480);
  const fitAll = () => {
    const { width, height } = sizeOf();
    const { x, y, ...size } = known.current;
    if (width === 0 || height === 0) return;
    const scale = Math.max(
      LEAST,
      Math.min(1, (width - 2 * MARGIN) / size.width, (height - 2 * MARGIN) / size.height),
    );
    setView({ scale, x: width / 2 - (x + size.width / 2) * scale, y: MARGIN - y * scale });
  };
  const zoom = (factor: number, at?: Position) => {
    const { left, top, width, height } = sizeOf();
    const point = at === undefined ? { x: width / 2, y: height / 2 } : { x: at.x - left, y: at.y - top };
    setView((before) => {
      const scale = Math.max(LEAST, Math.min(MOST, before.scale * factor));
      const ratio = scale / before.scale;
      return {
        scale,
        x: point.x - (point.x - before.x) * ratio,
        y: point.y - (point.y - before.y) * ratio,
      };
    });
  };
  const show = ({ x, y }: Position) => {
    const { width, height } = sizeOf();
    setView((before) => {
      const left = x * before.scale + before.x;
      const top = y * before.scale + before.y;
      const [right, bottom] = [left + BOX.width * before.scale, top + BOX.height * before.scale];
      const dx = left < MARGIN ? MARGIN - left : right > width - MARGIN ? width - MARGIN - right : 0;
      const dy = top < MARGIN ? MARGIN - top : bottom > height - MARGIN ? height - MARGIN - bottom : 0;
      return dx === 0 && dy === 0 ? before : { ...before, x: before.x + dx, y: before.y + dy };
    });
  };
  useEffect(() => {
    fitAll();
    const { current } = svg;
    if (current === null) return;
    // Browsers zoom the whole page unless the listener may prevent it.
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 300), { x: event.clientX, y: event.clientY });
    };
    current.addEventListener('wheel', wheel, { passive: false });
    const observer = new ResizeObserver(fitAll);
    observer.observe(current);
    return () => {
      current.removeEventListener('wheel', wheel);
      observer.disconnect();
    };
  }, []);
  return {
    view,
    zoom,
    fit: fitAll,
    show,
    pan: (dx, dy) => setView((before) => ({ ...before, x: before.x + dx, y: before.y + dy })),
    pointAt: (clientX, clientY) => {
      const { left, top } = sizeOf();
      return { x: (clientX - left - view.x) / view.scale, y: (clientY - top - view.y) / view.scale };
    },
  };
}
