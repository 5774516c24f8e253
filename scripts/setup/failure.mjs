/** An error that ends set-up: it has what is wrong and the command that mends it, and prints no stack trace. */
export class Failure extends Error {
  constructor(message, mend) {
    super(message);
    this.name = 'Failure';
    this.mend = mend;
  }
}

/** Runs `main` and turns its end into an exit code; only an unexpected error shows where it came from. */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    process.exitCode = 1;
    if (!(error instanceof Failure)) {
      console.error(error);
      return;
    }
    console.error(`\nerror: ${error.message}`);
    if (error.mend) console.error(`mend it with:\n\n    ${error.mend.split('\n').join('\n    ')}\n`);
  }
}
