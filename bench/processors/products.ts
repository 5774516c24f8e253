/**
 * Measures the multiplications of floats and of bytes a second by the inference library on one thread, which shows
 * the instructions that it uses.
 */
import { InferenceSession, Tensor } from 'onnxruntime-node';

const [ROWS, INNER, COLUMNS] = [256, 1024, 1024] as const;
const RUNS = 15;
const [FLOAT, UINT8, INT8, INT32] = [1, 2, 3, 6] as const;

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)];
const number = (field: number, value: number) => [...varint(field << 3), ...varint(value)];
const bytes = (field: number, value: readonly number[]) => [
  ...varint((field << 3) | 2),
  ...varint(value.length),
  ...value,
];
const text = (field: number, value: string) => bytes(field, [...Buffer.from(value)]);

function tensor(field: number, name: string, type: number, shape: readonly number[]): number[] {
  const sizes = shape.flatMap((size) => bytes(1, number(1, size)));
  return bytes(field, [...text(1, name), ...bytes(2, bytes(1, [...number(1, type), ...bytes(2, sizes)]))]);
}

function model(operator: string, left: number, right: number, out: number): Uint8Array {
  const node = [...text(1, 'a'), ...text(1, 'b'), ...text(2, 'c'), ...text(4, operator)];
  const graph = [
    ...bytes(1, node),
    ...text(2, 'product'),
    ...tensor(11, 'a', left, [ROWS, INNER]),
    ...tensor(11, 'b', right, [INNER, COLUMNS]),
    ...tensor(12, 'c', out, [ROWS, COLUMNS]),
  ];
  return Uint8Array.from([...number(1, 8), ...bytes(7, graph), ...bytes(8, number(2, 17))]);
}

async function speed(program: Uint8Array, a: Tensor, b: Tensor): Promise<number> {
  const session = await InferenceSession.create(program, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now();
    await session.run({ a, b });
    least = Math.min(least, performance.now() - began);
  }
  return (ROWS * INNER * COLUMNS) / least / 1e6;
}

const left = ROWS * INNER;
const right = INNER * COLUMNS;
const floats = await speed(
  model('MatMul', FLOAT, FLOAT, FLOAT),
  new Tensor('float32', new Float32Array(left).fill(0.5), [ROWS, INNER]),
  new Tensor('float32', new Float32Array(right).fill(0.25), [INNER, COLUMNS]),
);
const whole = await speed(
  model('MatMulInteger', UINT8, INT8, INT32),
  new Tensor('uint8', new Uint8Array(left).fill(3), [ROWS, INNER]),
  new Tensor('int8', new Int8Array(right).fill(-2), [INNER, COLUMNS]),
);
console.log(JSON.stringify({ floats, bytes: whole }));
