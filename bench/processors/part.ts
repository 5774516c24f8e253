/**
 * Runs one part of the benchmark in a process that its parent restricts to one kind of processor; prints the results
 * as JSON.
 */
import { measurePart, type PartName } from './parts.ts';

const [name, quick] = process.argv.slice(2) as [PartName, string | undefined];
const measured = await measurePart(name, quick === 'quick');
process.stdout.write(`\n${JSON.stringify(measured)}\n`, () => process.exit(0));
