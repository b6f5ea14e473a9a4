// Search in pages that are opened as files: browsers refuse workers there, so the worker's script runs in a frame
// without a picture. The theme looks for the name IFrameWorker. From a server nothing changes.
window.IFrameWorker = class extends EventTarget {
  constructor(url) {
    super()
    const frame = document.createElement("iframe")
    frame.hidden = true
    document.body.append(frame)
    const inside = frame.contentWindow
    inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
    this.post = data => inside.dispatchEvent(new inside.MessageEvent("message", { data }))
    const script = frame.contentDocument.createElement("script")
    this.ready = new Promise(resolve => script.addEventListener("load", resolve))
    script.src = url
    frame.contentDocument.body.append(script)
  }

  postMessage(data) {
    this.ready.then(() => this.post(data))
  }
}

if (location.protocol === "file:") window.Worker = window.IFrameWorker
