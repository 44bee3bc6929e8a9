// VexRiscv in LiteX's "Linux" configuration: RV32IMA, Sv32, 4 KiB caches, two Wishbone buses.
// Everything around the core is the C++ harness, which the one function below calls each cycle.
module board (
    input logic clk,
    input logic reset
);
    import "DPI-C" function void board_cycle(
        input  bit          instr_strobe,
        input  int unsigned instr_address,
        input  int unsigned instr_burst,
        input  bit          data_strobe,
        input  bit          data_write,
        input  int unsigned data_enable,
        input  int unsigned data_address,
        input  int unsigned data_burst,
        input  int unsigned data_value,
        input  bit          retired,
        input  int unsigned pc,
        input  int unsigned privilege,
        input  int unsigned satp,
        input  bit          loads_instructions,
        input  bit          loads_data,
        input  bit          walks_tables,
        output bit          instr_acknowledge,
        output int unsigned instr_word,
        output bit          data_acknowledge,
        output int unsigned data_word,
        output bit          software_interrupt,
        output bit          timer_interrupt,
        output bit          external_interrupt
    );

    // What is asked of a core that has stopped: its registers, and the address of the first instruction that has not
    // retired. The last stage writes registers, so that those are as before that one. One that traps is no longer
    // valid, but pending, and its trap is taken in the last stage.
    export "DPI-C" function core_register;
    export "DPI-C" function core_pc;
    export "DPI-C" function core_stores;

    function int unsigned core_register(input int unsigned number);
        return core.RegFilePlugin_regFile[number[4:0]];
    endfunction

    function int unsigned core_pc();
        if (core.writeBack_arbitration_isValid || core.CsrPlugin_exceptionPendings_3 || core.CsrPlugin_hadException)
            return core.writeBack_PC;
        if (core.memory_arbitration_isValid || core.CsrPlugin_exceptionPendings_2) return core.memory_PC;
        if (core.execute_arbitration_isValid || core.CsrPlugin_exceptionPendings_1) return core.execute_PC;
        if (core.IBusCachedPlugin_iBusRsp_stages_2_input_valid || core.CsrPlugin_exceptionPendings_0)
            return core.decode_PC;
        if (core.IBusCachedPlugin_iBusRsp_stages_1_input_valid)
            return core.IBusCachedPlugin_iBusRsp_stages_1_input_payload;
        return core.IBusCachedPlugin_fetchPc_pc;
    endfunction

    // Whether a store is at the bus, which the core's pipeline may be done with; and which.
    function bit core_stores(
        output int unsigned address, output int unsigned enable, output int unsigned value
    );
        address = {data_word_address, 2'b0};
        enable  = {28'b0, data_enable};
        value   = data_value;
        return data_cycle & data_strobe & data_write;
    endfunction

    // The harness knows the same number.
    localparam logic [31:0] RESET_ADDRESS = 32'h0000_1080;

    logic        instr_cycle, instr_strobe, data_cycle, data_strobe, data_write;
    logic [29:0] instr_word_address, data_word_address;
    logic [ 2:0] instr_burst, data_burst;
    logic [ 3:0] data_enable;
    logic [31:0] data_value;

    bit          instr_acknowledge, data_acknowledge;
    int unsigned instr_word, data_word;
    bit          software_interrupt, timer_interrupt, external_interrupt;

    // The harness' answers belong to the cycle that begins with this edge, as a register's would.
    bit          next_instr_acknowledge, next_data_acknowledge;
    int unsigned next_instr_word, next_data_word;
    bit          next_software, next_timer, next_external;

    always @(posedge clk) begin
        if (!reset) begin
            board_cycle(
                instr_cycle & instr_strobe, {instr_word_address, 2'b0}, {29'b0, instr_burst},
                data_cycle & data_strobe, data_write, {28'b0, data_enable},
                {data_word_address, 2'b0}, {29'b0, data_burst}, data_value,
                core.lastStageIsFiring, core.lastStagePc,
                {30'b0, core.CsrPlugin_privilege},
                {core.MmuPlugin_satp_mode, core.MmuPlugin_satp_asid, 2'b0, core.MmuPlugin_satp_ppn},
                core.IBusCachedPlugin_cache.lineLoader_valid,
                core.writeBack_arbitration_haltItself || core.dataCache_1.loader_valid,
                core.MmuPlugin_shared_state_1 != 3'b000,
                next_instr_acknowledge, next_instr_word, next_data_acknowledge, next_data_word,
                next_software, next_timer, next_external
            );
            instr_acknowledge  <= next_instr_acknowledge;
            instr_word         <= next_instr_word;
            data_acknowledge   <= next_data_acknowledge;
            data_word          <= next_data_word;
            software_interrupt <= next_software;
            timer_interrupt    <= next_timer;
            external_interrupt <= next_external;
        end
    end

    VexRiscv core (
        .clk                   (clk),
        .reset                 (reset),
        .externalResetVector   (RESET_ADDRESS),
        .timerInterrupt        (timer_interrupt),
        .softwareInterrupt     (software_interrupt),
        .externalInterruptArray({31'b0, external_interrupt}),
        .iBusWishbone_CYC      (instr_cycle),
        .iBusWishbone_STB      (instr_strobe),
        .iBusWishbone_ACK      (instr_acknowledge),
        .iBusWishbone_WE       (),
        .iBusWishbone_ADR      (instr_word_address),
        .iBusWishbone_DAT_MISO (instr_word),
        .iBusWishbone_DAT_MOSI (),
        .iBusWishbone_SEL      (),
        .iBusWishbone_ERR      (1'b0),
        .iBusWishbone_CTI      (instr_burst),
        .iBusWishbone_BTE      (),
        .dBusWishbone_CYC      (data_cycle),
        .dBusWishbone_STB      (data_strobe),
        .dBusWishbone_ACK      (data_acknowledge),
        .dBusWishbone_WE       (data_write),
        .dBusWishbone_ADR      (data_word_address),
        .dBusWishbone_DAT_MISO (data_word),
        .dBusWishbone_DAT_MOSI (data_value),
        .dBusWishbone_SEL      (data_enable),
        .dBusWishbone_ERR      (1'b0),
        .dBusWishbone_CTI      (data_burst),
        .dBusWishbone_BTE      ()
    );
endmodule
