import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** vitest begins with the largest files. These are small and take minutes, so that they would run last, by themselves. */
const LONGEST = [
  'test/contract/contract.test.ts',
  'test/products/aftercall/crash.test.ts',
  'test/products/trace/crash.test.ts',
];

/**
 * Files with a process of their own run first, then those that share one: vitest ends a shared process, with the models
 * that it has opened, as soon as the next file in the queue wants its own.
 */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ project, moduleId }: TestSpecification): number => {
      if (project.config.isolate) return 0;
      return LONGEST.some((name) => moduleId.endsWith(name)) ? 1 : 2;
    };
    return [0, 1, 2].flatMap((place) => sorted.filter((file) => rank(file) === place));
  }
}
