/** A page's side of a connection; `answer` and `another` are given by the test: what the other side answers to an offer. */
globalThis.begin = async () => {
  const connection = new RTCPeerConnection();
  const microphone = await navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
  });
  for (const track of microphone.getTracks()) connection.addTrack(track, microphone);
  const context = new AudioContext();
  const meter = context.createAnalyser();
  connection.ontrack = ({ track }) => {
    const sound = new Audio();
    sound.muted = true;
    sound.srcObject = new MediaStream([track]);
    void sound.play();
    context.createMediaStreamSource(sound.srcObject).connect(meter);
  };
  const channel = connection.createDataChannel('words');
  channel.binaryType = 'arraybuffer';
  const reported = [];
  channel.onmessage = ({ data }) => reported.push(new TextDecoder().decode(data));
  const offered = async (exchange) => {
    await connection.setLocalDescription();
    const sdp = await exchange(connection.localDescription.sdp);
    await connection.setRemoteDescription({ type: 'answer', sdp });
  };
  globalThis.side = {
    connection,
    reported,
    level: () => {
      const samples = new Float32Array(meter.fftSize);
      meter.getFloatTimeDomainData(samples);
      return samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
    },
    restart: async () => {
      connection.restartIce();
      await offered(globalThis.another);
    },
    say: (text) => channel.send(new TextEncoder().encode(text)),
  };
  await offered(globalThis.answer);
};
