import { spawn } from 'node:child_process';

const shared = new Set();

/**
 * Every program that runs from now on inherits the open file, from descriptor 3 on. Returns the function that ends
 * that.
 */
export function shareWithPrograms(file) {
  shared.add(file);
  return () => shared.delete(file);
}

/**
 * Runs a program to its end and collects its output. `inherit` shows the output as it arrives; otherwise the caller
 * decides whether to show it. `third` is a shared file that the program gets as descriptor 3.
 */
export function run(command, args, { cwd, env, input, inherit = false, onLine, third } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: [
        input === undefined ? 'ignore' : 'pipe',
        inherit ? 'inherit' : 'pipe',
        inherit ? 'inherit' : 'pipe',
        ...(third === undefined ? shared : [third, ...[...shared].filter((file) => file !== third)]),
      ],
    });
    let stdout = '';
    let stderr = '';
    let rest = '';
    const lines = (text) => {
      if (!onLine) return;
      rest += text;
      const parts = rest.split('\n');
      rest = parts.pop();
      for (const part of parts) onLine(part);
    };
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      lines(text);
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr += text;
      lines(text);
    });
    child.on('error', (error) =>
      error.code === 'ENOENT' ? resolve({ code: 127, stdout, stderr, missing: true }) : reject(error),
    );
    child.on('close', (code, signal) => {
      if (rest) onLine?.(rest);
      resolve({ code: code ?? 128, signal, stdout, stderr, missing: false });
    });
    if (input !== undefined) {
      child.stdin.on('error', () => {}); // the program may end before it has read everything; its exit code tells
      child.stdin.end(input);
    }
  });
}

export function tail(text, count = 15) {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-count)
    .join('\n');
}
