package initpipe

const envChild = "INITPIPE_CHILD"

func child() int { return 0 }
