/** pdf.js requires these methods, which Node 20 lacks: without them, losslessly compressed images are lost. */
interface Transferring {
  transferToFixedLength?: (this: ArrayBuffer, length?: number) => ArrayBuffer;
}

/** Returns the bytes in a buffer of that length. Unlike the standard method, it does not detach the old one. */
function transferToFixedLength(this: ArrayBuffer, length = this.byteLength): ArrayBuffer {
  const moved = new Uint8Array(length);
  moved.set(new Uint8Array(this).subarray(0, length));
  return moved.buffer;
}

(ArrayBuffer.prototype as Transferring).transferToFixedLength ??= transferToFixedLength;
