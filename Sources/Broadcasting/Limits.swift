// placeholder until the room is filled
