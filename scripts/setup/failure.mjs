/** An error that ends set-up without a stack trace: it names the problem and the command that repairs it. */
export class Failure extends Error {
  constructor(message, mend) {
    super(message);
    this.name = 'Failure';
    this.mend = mend;
  }
}

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
    if (error.mend) console.error(`fix it with:\n\n    ${error.mend.split('\n').join('\n    ')}\n`);
  }
}
