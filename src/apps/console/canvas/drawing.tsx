import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { Icon, iconPath } from '../kit/icon.tsx';
import {
  conditionOf,
  type FlowNode,
  type Graph,
  type NodeType,
  type Position,
  type Selection,
} from './document.ts';
import { type EdgeShape, edgeShapes } from './edge-shapes.ts';
import { BOX, boundsOf, GRID, nearest, onGrid, placesOf } from './layout.ts';
import type { EdgeMark, NodeMark } from './marks.ts';
import { useView, type Viewing } from './use-view.ts';
import { edgeText, KIND_ICONS, short, summaryOf, whenText } from './words.ts';

export interface Editing {
  readonly move: (id: string, place: Position) => void;
  readonly connect: (from: string, to: string) => void;
  readonly duplicate: (id: string) => void;
  readonly remove: (selection: Selection) => void;
  readonly drop: (type: NodeType, at: Position) => void;
}

export interface DrawingProps {
  readonly graph: Graph;
  readonly label: string;
  readonly selection?: Selection | null;
  readonly select?: (selection: Selection | null) => void;
  readonly nodeMarks?: ReadonlyMap<string, NodeMark>;
  readonly edgeMarks?: ReadonlyMap<number, EdgeMark>;
  readonly editing?: Editing;
  /** The drawing is fitted anew when it changes. */
  readonly fitKey?: string;
}

export const DRAG_TYPE = 'text/x-trunkline-step';
/** A pointer that moves less than this has pressed, not dragged. */
const DRAG_PX = 5;
const TITLE_LETTERS = 22;
const LINE_LETTERS = 27;
const LABEL_LETTERS = 28;
const LETTER_PX = 6.3;
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

type Drag =
  | { readonly kind: 'pan' }
  | { readonly kind: 'move'; readonly id: string; readonly from: Position; readonly place: Position }
  | { readonly kind: 'connect'; readonly id: string };

interface Pressed {
  readonly drag: Drag;
  readonly x: number;
  readonly y: number;
  readonly isDragging: boolean;
}

interface Moving {
  readonly id: string;
  readonly place: Position;
}

const partAt = (x: number, y: number, name: string): string | null =>
  document.elementFromPoint(x, y)?.closest(`[data-${name}]`)?.getAttribute(`data-${name}`) ?? null;

export function Drawing(props: DrawingProps) {
  const { graph, label, selection = null, select, nodeMarks, edgeMarks, editing, fitKey = '' } = props;
  const svg = useRef<SVGSVGElement>(null);
  const [moving, setMoving] = useState<Moving | null>(null);
  const [line, setLine] = useState<{ readonly from: string; readonly to: Position } | null>(null);
  const [connecting, setConnecting] = useState<string | null>(null);
  const fixed = placesOf(graph);
  const places = moving === null ? fixed : new Map(fixed).set(moving.id, moving.place);
  const viewing = useView(svg, boundsOf(fixed));
  const { view } = viewing;
  useEffect(() => viewing.fit(), [fitKey]);
  const chosen = selection?.kind === 'node' ? selection.id : null;
  useEffect(() => {
    const place = chosen === null ? undefined : fixed.get(chosen);
    if (place !== undefined) viewing.show(place);
  }, [chosen]);
  const focusable = chosen ?? (nodeOfGraph(graph, graph.start) ? graph.start : (graph.nodes[0]?.id ?? null));
  const focus = (id: string) => {
    const place = places.get(id);
    if (place !== undefined) viewing.show(place);
    svg.current?.querySelector<SVGElement>(`[data-node="${id}"]`)?.focus({ preventScroll: true });
  };
  const finish = (to: string | null) => {
    if (connecting !== null && to !== null) editing?.connect(connecting, to);
    setConnecting(null);
  };
  const pointer = usePointer({ svg, places, viewing, select, editing, setMoving, setLine });
  const press = (event: KeyboardEvent) => {
    const id = (event.target as Element).getAttribute?.('data-node') ?? null;
    if (id === null || !pressed(event, id)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const pressed = (event: KeyboardEvent, id: string): boolean => {
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return false;
    const way = ARROWS[key];
    if (way !== undefined) {
      const [dx, dy] = way;
      const place = places.get(id);
      if (shiftKey && editing !== undefined && place !== undefined)
        editing.move(id, onGrid({ x: place.x + dx * GRID, y: place.y + dy * GRID }));
      else {
        const next = nearest(places, id, dx, dy);
        if (next !== null) focus(next);
      }
      return true;
    }
    if (key === 'Enter' || key === ' ') {
      if (connecting === null) select?.({ kind: 'node', id });
      else finish(id);
      return true;
    }
    if (key === 'Escape' && connecting !== null) {
      finish(null);
      return true;
    }
    if (key === '+' || key === '=') viewing.zoom(1.25);
    else if (key === '-') viewing.zoom(0.8);
    else if (key === '0') viewing.fit();
    else if (editing === undefined) return false;
    else if (key === 'c') setConnecting(id);
    else if (key === 'd') editing.duplicate(id);
    else if (key === 'Delete' || key === 'Backspace') editing.remove({ kind: 'node', id });
    else return false;
    return true;
  };
  const shapes = edgeShapes(graph, places);
  return (
    <div class="flow-canvas">
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no element for a group with a name. */}
      <svg
        ref={svg}
        role="group"
        aria-label={label}
        class={connecting === null ? '' : 'connecting'}
        onKeyDown={press}
        {...pointer}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          const type = event.dataTransfer?.getData(DRAG_TYPE) ?? '';
          if (type !== '') editing?.drop(type as NodeType, viewing.pointAt(event.clientX, event.clientY));
        }}
      >
        <defs>
          <marker
            id="flow-head"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="10"
            markerHeight="10"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path class="head" d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
          {graph.edges.map((edge, at) => {
            const shape = shapes[at];
            return shape ? (
              <EdgeOf
                key={`${edge.from} ${edge.to} ${at}`}
                at={at}
                shape={shape}
                text={short(whenText(edge.when), LABEL_LETTERS)}
                title={edgeText(edge)}
                isOtherwise={conditionOf(edge.when) === 'otherwise'}
                isSelected={selection?.kind === 'edge' && selection.at === at}
                mark={edgeMarks?.get(at) ?? {}}
              />
            ) : null;
          })}
          {line !== null && <NewLine from={places.get(line.from)} to={line.to} />}
          {graph.nodes.map((node) => (
            <NodeOf
              key={node.id}
              node={node}
              place={places.get(node.id) ?? { x: 0, y: 0 }}
              isStart={node.id === graph.start}
              isSelected={node.id === chosen}
              isSource={node.id === connecting}
              isFocusable={node.id === focusable}
              isEditable={editing !== undefined}
              mark={nodeMarks?.get(node.id) ?? {}}
              press={() => (connecting === null ? select?.({ kind: 'node', id: node.id }) : finish(node.id))}
            />
          ))}
        </g>
      </svg>
      <div class="flow-zoom">
        <button type="button" class="icon-only" aria-label={t('Zoom out')} onClick={() => viewing.zoom(0.8)}>
          −
        </button>
        <button type="button" class="icon-only" aria-label={t('Zoom in')} onClick={() => viewing.zoom(1.25)}>
          +
        </button>
        <button type="button" onClick={viewing.fit}>
          {t('Fit')}
        </button>
      </div>
      <p class="flow-hint" role="status">
        {connecting !== null &&
          t('From {node}: go to a step by the arrow keys and press Enter. Escape gives up.', {
            node: connecting,
          })}
      </p>
    </div>
  );
}

const nodeOfGraph = ({ nodes }: Graph, id: string): boolean => nodes.some((node) => node.id === id);

interface PointerOrder {
  readonly svg: RefObject<SVGSVGElement | null>;
  readonly places: ReadonlyMap<string, Position>;
  readonly viewing: Viewing;
  readonly select: DrawingProps['select'];
  readonly editing: Editing | undefined;
  readonly setMoving: (moving: Moving | null) => void;
  readonly setLine: (line: { readonly from: string; readonly to: Position } | null) => void;
}

function usePointer({ svg, places, viewing, select, editing, setMoving, setLine }: PointerOrder) {
  const pressed = useRef<Pressed | null>(null);
  const touches = useRef(new Map<number, Position>());
  /** The browser sends a click after a drag. */
  const hasDragged = useRef(false);
  const moved = useRef<Moving | null>(null);
  const end = (event: PointerEvent, isDone: boolean) => {
    touches.current.delete(event.pointerId);
    const { current } = pressed;
    pressed.current = null;
    setMoving(null);
    setLine(null);
    if (current === null || !current.isDragging || !isDone) return;
    if (current.drag.kind === 'move' && moved.current !== null)
      editing?.move(moved.current.id, onGrid(moved.current.place));
    if (current.drag.kind === 'connect') {
      const to = partAt(event.clientX, event.clientY, 'node');
      if (to !== null) editing?.connect(current.drag.id, to);
    }
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      hasDragged.current = false;
      touches.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (touches.current.size > 1) {
        pressed.current = null;
        setMoving(null);
        return;
      }
      pressed.current = {
        drag: dragOf(event, places, editing),
        x: event.clientX,
        y: event.clientY,
        isDragging: false,
      };
    },
    onPointerMove: (event: PointerEvent) => {
      const before = touches.current.get(event.pointerId);
      if (before === undefined) return;
      const here = { x: event.clientX, y: event.clientY };
      if (touches.current.size === 2) pinch(touches.current, event.pointerId, here, viewing);
      touches.current.set(event.pointerId, here);
      const { current } = pressed;
      if (current === null) return;
      if (!current.isDragging && Math.hypot(here.x - current.x, here.y - current.y) < DRAG_PX) return;
      if (!current.isDragging) svg.current?.setPointerCapture(event.pointerId);
      hasDragged.current = true;
      pressed.current = { ...current, isDragging: true };
      const { drag } = current;
      if (drag.kind === 'pan') viewing.pan(here.x - before.x, here.y - before.y);
      else if (drag.kind === 'connect')
        setLine({ from: drag.id, to: viewing.pointAt(event.clientX, event.clientY) });
      else {
        const at = viewing.pointAt(event.clientX, event.clientY);
        moved.current = {
          id: drag.id,
          place: { x: drag.place.x + at.x - drag.from.x, y: drag.place.y + at.y - drag.from.y },
        };
        setMoving(moved.current);
      }
    },
    onPointerUp: (event: PointerEvent) => end(event, true),
    onPointerCancel: (event: PointerEvent) => end(event, false),
    onClick: (event: MouseEvent) => {
      if (hasDragged.current) {
        hasDragged.current = false;
        return;
      }
      const target = event.target as Element;
      const edge = target.closest('[data-edge]')?.getAttribute('data-edge') ?? null;
      if (edge !== null) select?.({ kind: 'edge', at: Number(edge) });
      else if (target.closest('[data-node]') === null) select?.(null);
    },
  };

  function dragOf(event: PointerEvent, at: ReadonlyMap<string, Position>, edits: Editing | undefined): Drag {
    const target = event.target as Element;
    const port = target.closest('[data-port]')?.getAttribute('data-port') ?? null;
    if (port !== null && edits !== undefined) return { kind: 'connect', id: port };
    const id = target.closest('[data-node]')?.getAttribute('data-node') ?? null;
    const place = id === null ? undefined : at.get(id);
    if (id === null || place === undefined || edits === undefined) return { kind: 'pan' };
    return { kind: 'move', id, place, from: viewing.pointAt(event.clientX, event.clientY) };
  }
}

function pinch(
  touches: ReadonlyMap<number, Position>,
  moved: number,
  here: Position,
  { zoom }: Viewing,
): void {
  const other = [...touches].find(([id]) => id !== moved)?.[1];
  const before = touches.get(moved);
  if (other === undefined || before === undefined) return;
  const [was, is] = [
    Math.hypot(before.x - other.x, before.y - other.y),
    Math.hypot(here.x - other.x, here.y - other.y),
  ];
  if (was > 0) zoom(is / was, { x: (here.x + other.x) / 2, y: (here.y + other.y) / 2 });
}

interface EdgeOfProps {
  readonly at: number;
  readonly shape: EdgeShape;
  readonly text: string;
  readonly title: string;
  readonly isOtherwise: boolean;
  readonly isSelected: boolean;
  readonly mark: EdgeMark;
}

/** Keys reach the edges by the list in the inspector of their node. */
function EdgeOf({ at, shape, text, title, isOtherwise, isSelected, mark }: EdgeOfProps) {
  const shown = mark.figure === undefined ? text : `${text} · ${mark.figure}`;
  const wide = shown.length * LETTER_PX + 10;
  const classes = [
    'flow-edge',
    isSelected && 'selected',
    mark.isTaken && 'taken',
    mark.isProblem && 'problem',
    isOtherwise && 'otherwise',
  ];
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus.
    <g class={classes.filter(Boolean).join(' ')} data-edge={at} aria-hidden="true">
      <title>{title}</title>
      <path class="reach" d={shape.path} />
      <path class="way" d={shape.path} marker-end="url(#flow-head)" />
      <rect x={shape.label.x - wide / 2} y={shape.label.y - 10} width={wide} height="20" rx="5" />
      <text x={shape.label.x} y={shape.label.y + 4} text-anchor="middle">
        {shown}
      </text>
    </g>
  );
}

function NewLine({ from, to }: { readonly from: Position | undefined; readonly to: Position }) {
  if (from === undefined) return null;
  return <path class="flow-new" d={`M${from.x + BOX.width / 2} ${from.y + BOX.height}L${to.x} ${to.y}`} />;
}

interface NodeOfProps {
  readonly node: FlowNode;
  readonly place: Position;
  readonly isStart: boolean;
  readonly isSelected: boolean;
  readonly isSource: boolean;
  readonly isFocusable: boolean;
  readonly isEditable: boolean;
  readonly mark: NodeMark;
  readonly press: () => void;
}

function NodeOf(props: NodeOfProps) {
  const { node, place, isStart, isSelected, isSource, isFocusable, isEditable, mark, press } = props;
  const { id, type, label, required } = node;
  const name = [
    label,
    `${id}, ${type}`,
    isStart && t('start'),
    required && t('required'),
    mark.steps !== undefined && t('passed at {steps}', { steps: mark.steps }),
    mark.figure,
    mark.problem,
  ];
  const classes = [
    'flow-node',
    `kind-${type}`,
    isStart && 'start',
    isSelected && 'selected',
    isSource && 'source',
    required && 'required',
    mark.problem !== undefined && 'problem',
    mark.steps !== undefined && 'passed',
    mark.isCurrent && 'current',
  ];
  const kind = [type, isStart && t('start'), required && t('required')].filter(Boolean).join(' · ');
  return (
    <g transform={`translate(${place.x} ${place.y})`} class={classes.filter(Boolean).join(' ')}>
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no button; the drawing handles its keys. */}
      <rect
        role="button"
        tabindex={isFocusable ? 0 : -1}
        aria-pressed={isSelected}
        aria-label={name.filter(Boolean).join(', ')}
        data-node={id}
        onClick={press}
        class="box"
        width={BOX.width}
        height={BOX.height}
        rx="10"
      />
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus. */}
      <g class="flow-face" aria-hidden="true">
        <path class="icon" d={iconPath(KIND_ICONS[type] ?? 'job')} transform="translate(10 8)" />
        <text class="title" x="36" y="24">
          {short(label ?? id, TITLE_LETTERS)}
        </text>
        <text class="kind" x="12" y="44">
          {kind}
        </text>
        <text class="summary" x="12" y="62">
          {short(summaryOf(node), LINE_LETTERS)}
        </text>
        {mark.problem !== undefined && <Badge x={BOX.width - 4} y={0} text="!" kind="bad" />}
        {mark.steps !== undefined && <Badge x={14} y={0} text={mark.steps} kind="step" />}
        {mark.figure !== undefined && (
          <Badge x={BOX.width - 40} y={BOX.height} text={mark.figure} kind="figure" />
        )}
      </g>
      {isEditable && type !== 'end' && type !== 'transfer' && (
        // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it takes no focus; the key C connects.
        <circle class="port" data-port={id} cx={BOX.width / 2} cy={BOX.height} r="8" aria-hidden="true">
          <title>{t('Drag to a step to connect')}</title>
        </circle>
      )}
    </g>
  );
}

interface BadgeProps {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly kind: string;
}

function Badge({ x, y, text, kind }: BadgeProps) {
  const wide = Math.max(20, text.length * LETTER_PX + 12);
  return (
    <g class={`flow-badge ${kind}`}>
      <rect x={x - wide / 2} y={y - 10} width={wide} height="20" rx="10" />
      <text x={x} y={y + 4} text-anchor="middle">
        {text}
      </text>
    </g>
  );
}

/** Buttons that add a node by a press, or where it is dropped. */
export function Palette({
  types,
  add,
}: {
  readonly types: readonly NodeType[];
  readonly add: (type: NodeType) => void;
}) {
  return (
    <div class="flow-palette" role="toolbar" aria-label={t('Add a step')}>
      {types.map((type) => (
        <button
          key={type}
          type="button"
          draggable
          onDragStart={(event) => event.dataTransfer?.setData(DRAG_TYPE, type)}
          onClick={() => add(type)}
        >
          <Icon name={KIND_ICONS[type]} />
          <span class="hidden">{t('Add a step')}: </span>
          {type}
        </button>
      ))}
    </div>
  );
}
